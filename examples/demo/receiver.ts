import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  createVerifier,
  fromNodeRequest,
  httpStatus,
  type Verdict,
  type VerifierOptions
} from '../../src/index.ts'
import { type Certificate, makeCertificate } from '../../test/support/https.ts'

/** An HTTPS server on loopback that verifies every request and answers with the status of the verdict. */
export async function startReceiver(host: string, options: VerifierOptions) {
  const verify = createVerifier(options)
  const verdicts: Verdict[] = []
  const certificate: Certificate = await makeCertificate(host)

  const server = createServer(certificate, async (req, res) => {
    const verdict = await verify(fromNodeRequest(req))
    verdicts.push(verdict)
    res.writeHead(httpStatus(verdict)).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    host,
    port: (server.address() as AddressInfo).port,
    cert: certificate.cert,
    /** in the order in which they were given */
    verdicts,
    close: () => server.close()
  }
}
