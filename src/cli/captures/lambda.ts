import { fromLambdaEvent, type LambdaEvent } from '../../adapters/lambda.ts'
import type { HeaderLine } from '../../http/request.ts'
import { UsageError } from '../usage.ts'
import { type Entry, entryOf } from './capture.ts'
import { isObject, type JsonObject, own } from './json-object.ts'

const isText = (value: unknown): boolean => typeof value === 'string'

/** An event of API Gateway, a function URL or a load balancer, as it appears in a log. */
export function isLambdaEvent(value: JsonObject): boolean {
  const context = own(value, 'requestContext')
  const isFormat1 = isText(own(value, 'httpMethod')) && isText(own(value, 'path'))
  const isFormat2 = isText(own(value, 'rawPath')) && isObject(context) && isObject(own(context, 'http'))
  return isFormat1 || isFormat2
}

/** Uses the adapter that the receiver uses, so that the verdict is the same. */
export function parseLambdaEvent(value: JsonObject): Entry {
  checkEvent(value)
  const { method, target, headers, body, https } = fromLambdaEvent(value as LambdaEvent)
  return entryOf({
    method,
    target,
    headers: [...(headers as Iterable<HeaderLine>)],
    body: typeof body === 'string' ? Buffer.from(body) : ((body as Uint8Array | null) ?? undefined),
    https
  })
}

const TEXTS = ['version', 'httpMethod', 'path', 'rawPath', 'rawQueryString', 'body']
const RECORDS = ['headers', 'multiValueHeaders', 'queryStringParameters', 'multiValueQueryStringParameters']

/** The adapter relies on the platform for the types; a file may have anything. */
function checkEvent(event: JsonObject): void {
  const context = own(event, 'requestContext') ?? {}
  const http = isObject(context) ? (own(context, 'http') ?? {}) : undefined
  const isRight =
    TEXTS.every(name => isTextOrAbsent(own(event, name))) &&
    RECORDS.every(name => isRecordOrAbsent(own(event, name))) &&
    isListOrAbsent(own(event, 'cookies')) &&
    isObject(context) &&
    ['path', 'stage', 'domainName'].every(name => isTextOrAbsent(own(context, name))) &&
    isObject(http) &&
    isTextOrAbsent(own(http, 'method'))
  if (!isRight) {
    throw new UsageError(
      'the Lambda event has a field of a wrong type; its body must be a string, as before any middleware parsed it'
    )
  }
}

const isTextOrAbsent = (value: unknown): boolean => value === undefined || value === null || isText(value)

const isListOrAbsent = (value: unknown): boolean =>
  isTextOrAbsent(value) ? !isText(value) : Array.isArray(value) && value.every(isText)

const isRecordOrAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (isObject(value) &&
    Object.values(value).every(item => isTextOrAbsent(item) || (Array.isArray(item) && item.every(isText))))
