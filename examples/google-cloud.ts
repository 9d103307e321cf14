import { http, type Request, type Response } from '@google-cloud/functions-framework'
import { nodeHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = nodeHandler<Request, Response>(
  verify,
  ({ accountId }) => console.log(accountId),
  { body: req => req.rawBody, https: 'x-forwarded-proto', onRefused }
)
http('hook', receive)
