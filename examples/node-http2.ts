import { readFileSync } from 'node:fs'
import {
  createSecureServer,
  type Http2ServerRequest as Req,
  type Http2ServerResponse as Res
} from 'node:http2'
import { nodeHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const { PORT = 443, TLS_KEY = 'key.pem', TLS_CERT = 'cert.pem' } = process.env
const [key, cert] = [readFileSync(TLS_KEY), readFileSync(TLS_CERT)]
const receive = nodeHandler<Req, Res>(
  verify,
  ({ accountId }) => console.log(accountId),
  {
    onRefused
  }
)
export const server = createSecureServer({ key, cert, allowHTTP1: true }, receive)
server.listen(PORT)
