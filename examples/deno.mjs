import { createVerifier, explain, fromFetchRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
Deno.serve({ port: Number(Deno.env.get('PORT') ?? 3000) }, async request => {
  const verdict = await verify(fromFetchRequest(request, { https: 'x-forwarded-proto' }))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
  }
  return new Response(null, { status: httpStatus(verdict) })
})
