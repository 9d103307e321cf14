import { lambdaHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

export const handler = lambdaHandler(
  verify,
  ({ accountId }) => console.log(accountId),
  {
    onRefused // behind a load balancer, also https: 'x-forwarded-proto'
  }
)
