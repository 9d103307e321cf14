import * as suite from 'signed-requests-vectors'
import { afterEach, describe, expect, test } from 'vitest'
import { createVerifier, type ReceivedRequest, type Verified } from '../../../../src/index.ts'
import { readyVector } from '../../../support/ready-vector.ts'
import { OPTIONS, signed as signedByRfc9421 } from '../../../support/rfc9421.ts'
import { service, withHeaders } from '../../../support/service.ts'

type Line = readonly [string, string]

const REQUIRED = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest']

const sign = (headers: Record<string, string> | Line[], covered: readonly string[]) =>
  service.sign({ headers, covered: [...REQUIRED, ...covered] })

async function verified(request: ReceivedRequest, options: object = service.options): Promise<Verified> {
  const verdict = await createVerifier(options as typeof service.options)(request)
  if (verdict.status !== 'verified') throw new Error(verdict.failures.map(({ code }) => code).join())
  return verdict
}

/** Replaces one line of the request by several. */
const split = (request: ReceivedRequest, name: string, ...lines: string[]): ReceivedRequest => ({
  ...withHeaders(request, { [name]: undefined }),
  headers: [...withHeaders(request, { [name]: undefined }).headers, ...lines.map(line => [name, line] as const)]
})

describe('coveredValues by the draft', () => {
  test('coveredValues by the draft has each covered header by its lower-case name, and nothing else', async () => {
    const request = sign({ 'X-Event': 'opened', 'X-Other': 'unsigned' }, ['X-EVENT'])
    const { coveredValues } = await verified(request)
    const { Host, Date: date, Digest } = Object.fromEntries(request.headers)
    expect(coveredValues).toStrictEqual({
      host: Host,
      date,
      'x-service-id': 'account-1234',
      digest: Digest,
      'x-event': 'opened'
    })
  })

  test('joins the lines of a header as they were joined for its signature', async () => {
    const request = sign({ Authorization: 'Basic a, Basic b', 'Content-Type': 'text/plain, text/html' }, [
      'Authorization',
      'Content-Type'
    ])
    const twice = split(request, 'Authorization', '\tBasic a ', 'Basic b')
    const { coveredValues } = await verified(split(twice, 'Content-Type', 'text/plain', 'text/html'))
    expect(coveredValues).toMatchObject({ authorization: 'Basic a, Basic b', 'content-type': 'text/plain, text/html' })
  })

  test('coveredValues by the draft has a header that is empty', async () => {
    expect((await verified(sign({ 'X-Empty': '' }, ['X-Empty']))).coveredValues).toHaveProperty('x-empty', '')
  })
})

describe('coveredValues by RFC 9421', () => {
  const wrap = (text: string) => `:${Buffer.from(text).toString('base64')}:`
  const valuesOf = async (lines: Record<string, string>, headers: Record<string, string>) =>
    (await verified(signedByRfc9421({ lines, headers }), OPTIONS)).coveredValues

  test('coveredValues by RFC 9421 has each field that is covered without parameters or with bs', async () => {
    const values = await valuesOf({ '"x-a"': 'one', '"x-b";bs': wrap('two') }, { 'X-A': 'one', 'X-B': 'two' })
    expect(values).toMatchObject({ 'x-a': 'one', 'x-b': 'two' })
    expect(Object.keys(values).sort()).toEqual(['content-digest', 'date', 'x-a', 'x-b', 'x-service-id'])
  })

  test('coveredValues by RFC 9421 has no field of which another form or a part was signed', async () => {
    const values = await valuesOf({ '"x-a";sf': '1, 2', '"x-b";key="k"': '1' }, { 'X-A': '1,2', 'X-B': 'k=1, l=2' })
    expect(Object.keys(values).sort()).toEqual(['content-digest', 'date', 'x-service-id'])
  })
})

const verifiedVectors = suite.loadVectors().filter(({ verdict }) => verdict.status === 'verified')

test.each(verifiedVectors.map(vector => [vector.name, vector] as const))(
  'coveredValues has what the signing string of the vector %s says',
  async (_, vector) => {
    const { options, request } = readyVector(vector)
    const { coveredValues } = await verified(request, options)
    const lines = vector.signing!.string.split('\n').map(line => /^"?([^":;]+)"?(;bs)?: (.*)$/s.exec(line))
    // `(request-target)`, `@method` and the like are not headers, and the result omits a field with other parameters.
    const names = lines.flatMap(line => (line === null || /^[(@]/.test(line[1]!) ? [] : [line[1]!]))
    expect(Object.keys(coveredValues)).toEqual([...new Set(names)])
    for (const line of lines)
      if (line !== null && line[2] === undefined && names.includes(line[1]!))
        expect(coveredValues[line[1]!]).toBe(line[3])
  }
)

describe('the object of coveredValues', () => {
  const NAMES = ['__proto__', 'constructor', 'hasownproperty', 'toString', '1']
  const request = sign(
    NAMES.map((name): Line => [name, `value of ${name}`]),
    NAMES
  )
  const expected = NAMES.map(name => [name.toLowerCase(), `value of ${name}`])

  test('takes any header name as its own property, also __proto__', async () => {
    const { coveredValues } = await verified(request)
    expect(Object.getPrototypeOf(coveredValues)).toBe(Object.prototype)
    expect(Object.entries(coveredValues)).toEqual(expect.arrayContaining(expected))
    expect({}).not.toHaveProperty('x-event')
  })

  test('the object of coveredValues is equal in a structured clone of the verdict', async () => {
    const verdict = await verified(request)
    expect(structuredClone(verdict)).toStrictEqual(verdict)
    expect(Object.entries(structuredClone(verdict).coveredValues)).toEqual(Object.entries(verdict.coveredValues))
  })

  test('the object of coveredValues belongs to its verdict', async () => {
    const verify = createVerifier(service.options)
    const first = await verify(request)
    if (first.status === 'verified') (first.coveredValues as Record<string, string>)['host'] = 'changed.example'
    expect(await verify(request)).toHaveProperty('coveredValues.host', 'receiver.example')
  })

  describe('with a setter on Object.prototype', () => {
    afterEach(() => void Reflect.deleteProperty(Object.prototype, 'x-event'))

    test('gets the signed value, and the setter gets nothing', async () => {
      const request = sign({ 'X-Event': 'opened' }, ['X-Event'])
      const set = () => expect.fail('the setter was called')
      Object.defineProperty(Object.prototype, 'x-event', { configurable: true, set, get: () => 'polluted' })
      const { coveredValues } = await verified(request)
      expect(Object.getOwnPropertyDescriptor(coveredValues, 'x-event')?.value).toBe('opened')
    })
  })
})
