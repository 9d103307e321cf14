import { createVerifier, explain, fromLambdaEvent, httpStatus, type LambdaEvent } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// API Gateway (REST and HTTP APIs), function URLs; for a load balancer add { https: 'x-forwarded-proto' }.
export async function handler(event: LambdaEvent) {
  const verdict = await verify(fromLambdaEvent(event))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
  }
  return { statusCode: httpStatus(verdict) }
}
