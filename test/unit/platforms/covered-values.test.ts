import { createServer } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import {
  createVerifier,
  fetchHandler,
  fromLambdaEvent,
  type LambdaEvent,
  lambdaHandler,
  nodeHandler,
  type ReceivedRequest,
  type Verified
} from '../../../src/index.ts'
import type { SignedTestRequest } from '../../../src/testing/index.ts'
import { equivalent, isSplit, type Variant } from '../../support/equivalent.ts'
import { listen } from '../../support/listen.ts'
import { service } from '../../support/service.ts'
import { exchangeBytes, wire } from '../../support/wire.ts'
import { forAll } from '../properties/arbitraries.ts'

const verify = createVerifier({ ...service.options, requireHttps: false })

/** Holds the values that a handler got with the last request, or undefined when it was refused. */
let given: Verified['coveredValues'] | undefined
const note = (verified: Verified) => {
  given = verified.coveredValues
}

const server = createServer(nodeHandler(verify, note))
const port = await listen(server)
afterAll(() => void server.close())

async function overNode(request: ReceivedRequest): Promise<void> {
  await exchangeBytes(port, wire(request, [['Connection', 'close']]))
}

/** Appends the lines one by one, as a server of Node.js does. */
async function overFetch({ method, target, headers, body }: SignedTestRequest): Promise<void> {
  const lines = new Headers()
  for (const [name, value] of headers) lines.append(name, value)
  await fetchHandler(verify, note)(new Request(`http://receiver.example${target}`, { method, headers: lines, body }))
}

type Lines = SignedTestRequest['headers']

function valuesByName(lines: Lines): [name: string, values: string[]][] {
  const byName = new Map<string, string[]>()
  for (const [name, value] of lines) byName.set(name, [...(byName.get(name) ?? []), value.trim()])
  return [...byName]
}

/** API Gateway and a load balancer turn several lines into a list, the last one, or all joined. */
const lists = (lines: Lines) => Object.fromEntries(valuesByName(lines))
const lastOnes = (lines: Lines) =>
  Object.fromEntries(valuesByName(lines).map(([name, values]) => [name, values.at(-1)!]))
const joinedByComma = (lines: Lines) =>
  Object.fromEntries(valuesByName(lines).map(([name, values]) => [name, values.join()]))

type Form = (request: SignedTestRequest) => LambdaEvent
const format1 = { requestContext: {}, path: '/hook' }
const http2 = { version: '2.0', rawPath: '/hook', rawQueryString: '' }
const FORMS: Record<string, Form> = {
  'REST API': ({ method, headers }) => ({
    ...format1,
    httpMethod: method,
    headers: lastOnes(headers),
    multiValueHeaders: lists(headers)
  }),
  'HTTP API, format 1.0': ({ method, headers }) => ({
    ...format1,
    version: '1.0',
    httpMethod: method,
    headers: lastOnes(headers),
    multiValueHeaders: lists(headers)
  }),
  'HTTP API, format 2.0': ({ method, headers }) => ({
    ...http2,
    headers: joinedByComma(headers),
    requestContext: { http: { method }, domainName: 'id.execute-api.eu-central-1.amazonaws.com' }
  }),
  'function URL': ({ method, headers }) => ({
    ...http2,
    headers: joinedByComma(headers),
    requestContext: { http: { method }, domainName: 'id.lambda-url.eu-central-1.on.aws' }
  }),
  'load balancer': ({ method, headers }) => ({
    requestContext: { elb: {} },
    path: '/hook',
    httpMethod: method,
    headers: lastOnes(headers)
  }),
  'load balancer with lists': ({ method, headers }) => ({
    requestContext: { elb: {} },
    path: '/hook',
    httpMethod: method,
    multiValueHeaders: lists(headers)
  })
}

const overLambda = (form: Form) => async (request: SignedTestRequest) => {
  const body = Buffer.from(request.body ?? '').toString()
  const event = { ...form(request), body }
  // The case of names differs only where the sender wrote them so: the event is a form of this request.
  expect(fromLambdaEvent(event).target).toBe(request.target)
  await lambdaHandler(verify, note)(event, {})
}

type Ask = (request: SignedTestRequest) => Promise<void>

/** Returns the covered values that the handler gets; undefined for a refused request. */
async function valuesOver(ask: Ask, request: SignedTestRequest) {
  given = undefined
  await ask(request)
  return given
}

type Loss = (variant: Variant) => boolean
const never: Loss = () => false
/** Headers of fetch join cookies by a semicolon. */
const ofCookies: Loss = variant => isSplit(variant, name => name === 'cookie')
/** The platform keeps one of several lines, or joins them without a space. */
const ofLines: Loss = variant => isSplit(variant)

describe('of two requests with one signing string, a handler gets the covered values that were signed', () => {
  test.each<[string, Ask, Loss]>([
    ['nodeHandler', overNode, never],
    ['fetchHandler', overFetch, ofCookies],
    ['lambdaHandler, REST API', overLambda(FORMS['REST API']!), never],
    ['lambdaHandler, HTTP API, format 1.0', overLambda(FORMS['HTTP API, format 1.0']!), never],
    ['lambdaHandler, HTTP API, format 2.0', overLambda(FORMS['HTTP API, format 2.0']!), ofLines],
    ['lambdaHandler, function URL', overLambda(FORMS['function URL']!), ofLines],
    ['lambdaHandler, load balancer', overLambda(FORMS['load balancer']!), ofLines],
    ['lambdaHandler, load balancer with lists', overLambda(FORMS['load balancer with lists']!), never]
  ])('a handler gets the covered values that were signed: %s', (_, ask, isLost) =>
    forAll(
      [equivalent({ target: '/hook', body: '{"id":1}' })],
      async variant => {
        expect(await valuesOver(ask, variant.signed)).toEqual(variant.values)
        // Where the platform loses lines, the signing string differs, and the request is refused.
        const expected = isLost(variant) ? undefined : variant.values
        expect(await valuesOver(ask, variant.received)).toEqual(expected)
      },
      { numRuns: 40 }
    )
  )
})
