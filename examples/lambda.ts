import { createVerifier, lambdaHandler, logRecord } from 'signed-requests'

// Many instances serve, so a replay store must be one that they share, such as redisReplayStore(client).
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// API Gateway (REST and HTTP APIs), function URLs; for a load balancer add { https: 'x-forwarded-proto' }.
export const handler = lambdaHandler(verify, verified => console.log('account %s', verified.accountId), {
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})
