// app/hook/[[...path]]/route.ts
import { createVerifier, explain, fromFetchRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// Next.js takes the scheme of request.url from X-Forwarded-Proto, so say yourself whether only HTTPS reaches it.
export async function POST(request: Request): Promise<Response> {
  const verdict = await verify(fromFetchRequest(request, { https: true }))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
  }
  return new Response(null, { status: httpStatus(verdict) })
}

export const GET = POST
