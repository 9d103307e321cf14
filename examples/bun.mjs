import { createVerifier, explain, fromFetchRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
const server = Bun.serve({
  port: process.env.PORT ?? 3000,
  async fetch(request) {
    const verdict = await verify(fromFetchRequest(request, { https: 'x-forwarded-proto' }))
    const status = httpStatus(verdict)

    if (verdict.status === 'verified') {
      console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
      return new Response(null, { status })
    }
    console.warn(explain(verdict))
    return new Response(null, { status, headers: { Connection: 'close' } }) // or Bun reads the refused body
  }
})

console.log('listening on %s', server.url)
