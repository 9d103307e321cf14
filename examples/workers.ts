// wrangler.toml: compatibility_flags = ["nodejs_compat"]
import { createVerifier, explain, fromFetchRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

export default {
  async fetch(request: Request): Promise<Response> {
    const verdict = await verify(fromFetchRequest(request))

    if (verdict.status === 'verified') {
      console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
    } else {
      console.warn(explain(verdict))
    }
    return new Response(null, { status: httpStatus(verdict) })
  }
}
