import { validateCall } from '../../core/mistakes.ts'
import type { Rejected, Unavailable, Verified } from '../../core/verdict/verdict.ts'
import type { Verify } from '../../core/verify.ts'
import { isFailure, runHandler, validateHandler } from '../handler.ts'
import { PROXY_OPTIONS, type ProxyOptions, prepareProxy } from '../proxy.ts'
import type { Refusal } from '../refusal.ts'
import { createReport } from '../report.ts'
import { type LambdaEvent, readLambdaEvent } from './request.ts'

/** Options of `lambdaHandler`; none is required. */
export interface LambdaHandlerOptions<Event = LambdaEvent, Context = unknown> extends ProxyOptions {
  /**
   * called for each request that is refused, before it is answered: to log. It may return the status to answer with,
   * from 400 to 599; anything else, a promise too, changes nothing
   */
  onRefused?: ((verdict: Rejected | Unavailable, event: Event, context: Context) => unknown) | undefined
}

/** A result that API Gateway, a function URL and a load balancer all understand. */
export interface LambdaResult {
  statusCode: number
  headers?: Record<string, string> | undefined
  /** a load balancer with multi-value headers takes these alone */
  multiValueHeaders?: Record<string, string[]> | undefined
  /** for a load balancer */
  statusDescription?: string | undefined
  isBase64Encoded?: boolean | undefined
  body?: string | undefined
}

/** The values that a handler may return for 204. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers nothing has no return statement
export type LambdaNothing = undefined | null | void

const OPTIONS = [...PROXY_OPTIONS, 'onRefused'] as const

/**
 * Makes the handler of an AWS Lambda function behind API Gateway (REST and HTTP APIs), a function URL or a load
 * balancer.
 *
 * `handle` gets verified requests only, and returns the result, or `undefined` for 204. When the result has a
 * `statusCode` of 500 or more, or the handler throws or rejects, the claim on the request is released, so that a retry
 * is accepted. An error is rethrown. A refused request is answered with the status of `httpStatus`, an empty body,
 * `WWW-Authenticate: Signature` with 401 and `Retry-After` with 503.
 *
 * @throws TypeError for a bad option, at once
 * @example
 * ```ts
 * import { createVerifier, lambdaHandler, logRecord } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * export const handler = lambdaHandler(verify, verified => console.log(verified.accountId), {
 *   onRefused: verdict => console.warn(JSON.stringify(logRecord(verdict)))
 * })
 * ```
 */
export function lambdaHandler<Event extends LambdaEvent = LambdaEvent, Context = unknown, Result = LambdaResult>(
  verify: Verify,
  handle: (verified: Verified, event: Event, context: Context) => Result | Promise<Result>,
  options: LambdaHandlerOptions<Event, Context> = {}
): (event: Event, context: Context) => Promise<Exclude<Result, LambdaNothing> | LambdaResult> {
  const [undoProxy, { onRefused }] = validateCall(lambdaHandler, 'lambdaHandler', options, OPTIONS, own => [
    () => prepareProxy(own),
    () => own,
    () => validateHandler('lambdaHandler', verify, handle, { onRefused: own.onRefused })
  ])
  const report = createReport()
  return (event, context) =>
    runHandler<Exclude<Result, LambdaNothing> | LambdaResult>('lambdaHandler', verify, {
      report,
      read: () => undoProxy(readLambdaEvent(event)),
      onRefused: verdict => onRefused?.(verdict, event, context),
      refuse: refusal => ({ ...emptyResult(event, refusal), headers: refusal.headers, body: '' }),
      async handle(verified, release) {
        const result = (await handle(verified, event, context)) as Exclude<Result, LambdaNothing>
        if (isFailure((result as Partial<LambdaResult> | undefined)?.statusCode)) await release()
        return result ?? emptyResult(event, { status: 204, headers: {} })
      }
    })
}

/** API Gateway refuses a result with a property that it does not know, so only a load balancer gets its own ones. */
function emptyResult(event: LambdaEvent, { status, headers }: Refusal): LambdaResult {
  if (event.requestContext?.elb === undefined) return { statusCode: status }
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]])
  return {
    statusCode: status,
    isBase64Encoded: false,
    ...(event.multiValueHeaders && { multiValueHeaders: Object.fromEntries(lists) })
  }
}
