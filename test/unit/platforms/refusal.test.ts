import { createServer } from 'node:http'
import { parseDictionary } from 'structured-headers'
import { describe, expect, test } from 'vitest'
import {
  createVerifier,
  draftCavage,
  fetchHandler,
  lambdaHandler,
  nodeHandler,
  type Rejected,
  refusalResponse,
  type VerifierOptions
} from '../../../src/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { listenInTest } from '../../support/node-server.ts'
import { CHALLENGE as DRAFT, service } from '../../support/service.ts'

// What a refusal tells the sender: which parts to sign, by which standard.

const COMPONENTS = '("@method" "@request-target" "@authority" "x-service-id" "content-digest")'

const SCHEMES: [string, Partial<VerifierOptions>, challenge: string, accept: string | null][] = [
  ['the draft', {}, DRAFT, null],
  ['RFC 9421', { schemes: [rfc9421] }, 'Signature', `sig1=${COMPONENTS};created;alg="rsa-v1_5-sha256"`],
  ['both', { schemes: [draftCavage, rfc9421] }, DRAFT, `sig1=${COMPONENTS};created;alg="rsa-v1_5-sha256"`],
  [
    'other algorithms',
    { schemes: [rfc9421], algorithms: ['ed25519', 'rsa-pss-sha512'] },
    'Signature',
    `sig1=${COMPONENTS};created;alg="ed25519"`
  ],
  [
    'more names',
    {
      schemes: [draftCavage, rfc9421],
      accountHeader: 'X-Brand-ID',
      alsoCovered: ['Content-Type', '(created)', '(expires)']
    },
    'Signature headers="(request-target) host date x-brand-id digest content-type (created) (expires)"',
    'sig1=("@method" "@request-target" "@authority" "x-brand-id" "content-digest" "content-type");created;expires;alg="rsa-v1_5-sha256"'
  ]
]

/** Two requests by different standards, and one by none: a refusal depends on the verifier alone. */
const REQUESTS: Readonly<Record<string, Record<string, string>>> = {
  unsigned: {},
  draft: { Signature: 'keyId="a.b",algorithm="rsa-sha256",headers="x",signature="AA=="' },
  rfc9421: { 'Signature-Input': 'sig1=("x-mine");keyid="a.b"', Signature: 'sig1=:AA==:', 'Accept-Signature': 'x' }
}

describe.each(SCHEMES)('a verifier by %s', (_, options, challenge, accept) => {
  const verify = createVerifier({ ...service.options, ...options })
  const expected = [401, challenge, accept, '']

  test.each(Object.entries(REQUESTS))('says what to sign in refusalResponse: %s', async (_, headers) => {
    const verdict = await verify({ method: 'GET', target: '/', headers, body: null, https: true })
    const { status, headers: fields } = refusalResponse(verdict as Rejected)
    expect([status, fields.get('WWW-Authenticate'), fields.get('Accept-Signature')]).toEqual(expected.slice(0, 3))
    expect([...fields]).toHaveLength(accept === null ? 1 : 2)
  })

  test('says so by each handler', async () => {
    const port = await listenInTest(createServer(nodeHandler(verify, () => {})))
    const answers = [
      await fetch(`http://127.0.0.1:${port}/`, { headers: { Connection: 'close' } }),
      await fetchHandler(verify, () => {})(new Request('https://receiver.example/'))
    ]
    for (const answer of answers) {
      const { status, headers } = answer
      const seen = [status, headers.get('WWW-Authenticate'), headers.get('Accept-Signature'), await answer.text()]
      expect(seen).toEqual(expected)
    }
    const event = { httpMethod: 'GET', path: '/', requestContext: {}, headers: {} }
    const { statusCode, headers, body } = await lambdaHandler(verify, () => {})(event, {})
    const fields = new Headers(headers)
    expect([statusCode, fields.get('WWW-Authenticate'), fields.get('Accept-Signature'), body]).toEqual(expected)
  })

  test.runIf(accept)('asks for one signature in a form that a parser reads', () => {
    const asked = parseDictionary(accept as string)
    expect([...asked.keys()]).toEqual(['sig1'])
    expect(asked.get('sig1')?.[1].get('created')).toBe(true)
  })
})

test('a copy of a verdict tells that a signature is needed, and no more', async () => {
  const verify = createVerifier({ ...service.options, schemes: [rfc9421] })
  const verdict = await verify({ method: 'GET', target: '/', headers: {}, body: null, https: true })
  expect([...refusalResponse({ ...verdict } as Rejected).headers]).toEqual([['www-authenticate', 'Signature']])
})

test('413 and 503 ask for no signature', async () => {
  const verify = createVerifier({ ...service.options, maxBodyBytes: 1 })
  const tooLarge = await verify(service.sign({ target: '/', body: '{}' }))
  const { status, headers } = refusalResponse(tooLarge as Rejected)
  expect([status, [...headers]]).toEqual([413, []])
  const lookupTxt = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
  const unavailable = await createVerifier({ ...service.options, lookupTxt })(service.sign({ target: '/' }))
  expect([...refusalResponse(unavailable as never).headers]).toEqual([['retry-after', '10']])
})

test('changing the headers of a refusal changes no later one', async () => {
  const verify = createVerifier(service.options)
  const receive = lambdaHandler(verify, () => {})
  const event = { httpMethod: 'GET', path: '/', requestContext: {}, headers: {} }
  const first = await receive(event, {})
  Object.assign(first.headers ?? {}, { 'WWW-Authenticate': 'Basic' })
  expect((await receive(event, {})).headers).toEqual({ 'WWW-Authenticate': DRAFT })
})
