import { fromLambdaEvent, type LambdaEvent, validateLambdaOptions } from '../adapters/lambda.ts'
import type { ProxyOptions } from '../adapters/proxy.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import type { Verified } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'
import { assertFunctions, callHook, pick, releaseClaim, validateHook } from './handling.ts'
import { type Refused, refusalOf } from './refusal.ts'

export interface LambdaHandlerOptions<Event = LambdaEvent, Context = unknown> extends ProxyOptions {
  /** called for each request that is refused, before it is answered: to log */
  onRefused?: (verdict: Refused, event: Event, context: Context) => unknown
}

/** What API Gateway, a function URL and a load balancer all understand. */
export interface LambdaResult {
  statusCode: number
  headers?: Record<string, string>
  /** a load balancer with multi-value headers takes these alone */
  multiValueHeaders?: Record<string, string[]>
  /** for a load balancer */
  statusDescription?: string
  isBase64Encoded?: boolean
  body?: string
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers nothing has no return statement
type Nothing = undefined | null | void

const ADAPTER_NAMES = ['https', 'host', 'prefix'] as const

/**
 * The handler of an AWS Lambda function behind API Gateway (REST and HTTP APIs), a function URL or a load balancer.
 *
 * `handle` gets verified requests only, and returns the result, or `undefined` for 204. When it throws or rejects, the
 * claim on the request is released, so that a retry is accepted, and the error is rethrown. A refused request is
 * answered with the status of `httpStatus`, an empty body, and `Retry-After` with 503.
 *
 * @throws TypeError for a bad option, at once
 */
export function lambdaHandler<
  Event extends LambdaEvent = LambdaEvent,
  Context = unknown,
  Result = LambdaResult
>(
  verify: Verify,
  handle: (verified: Verified, event: Event, context: Context) => Result | Promise<Result>,
  options: LambdaHandlerOptions<Event, Context> = {}
): (event: Event, context: Context) => Promise<Exclude<Result, Nothing> | LambdaResult> {
  assertFunctions('lambdaHandler', verify, handle)
  const own = ownOptions('lambdaHandler', options, [...ADAPTER_NAMES, 'onRefused'])
  const adapterOptions = pick(own, ADAPTER_NAMES)
  validateLambdaOptions(adapterOptions)
  validateHook(own.onRefused, 'onRefused')

  return async (event, context) => {
    const verdict = await verify(fromLambdaEvent(event, adapterOptions))
    if (verdict.status !== 'verified') {
      callHook(own.onRefused, verdict, event, context)
      const { status, headers } = refusalOf(verdict, 'lambdaHandler')
      return { ...emptyResult(event, status, headers), body: '' }
    }
    try {
      const result = await handle(verdict, event, context)
      return (result as Exclude<Result, Nothing> | undefined) ?? emptyResult(event, 204)
    } catch (error) {
      await releaseClaim(verify, verdict)
      throw error
    }
  }
}

const DESCRIPTIONS = {
  204: 'No Content',
  401: 'Unauthorized',
  413: 'Payload Too Large',
  503: 'Service Unavailable'
} as const

/** API Gateway refuses a result with a property that it does not know, so only a load balancer gets its own ones. */
function emptyResult(
  { requestContext, multiValueHeaders }: LambdaEvent,
  statusCode: keyof typeof DESCRIPTIONS,
  headers?: Readonly<Record<string, string>>
): LambdaResult {
  const result: LambdaResult = { statusCode, ...(headers && { headers: { ...headers } }) }
  if (requestContext?.elb === undefined) return result
  const lists = Object.entries(headers ?? {}).map(([name, value]): [string, string[]] => [name, [value]])
  return {
    ...result,
    statusDescription: `${statusCode} ${DESCRIPTIONS[statusCode]}`,
    isBase64Encoded: false,
    ...(multiValueHeaders && { multiValueHeaders: Object.fromEntries(lists) })
  }
}
