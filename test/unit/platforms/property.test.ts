import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromFetchRequest, fromLambdaEvent, fromNodeRequest } from '../../../src/index.ts'
import { linesOf } from '../../support/service.ts'
import { unicode } from '../properties/arbitraries.ts'

const text = unicode()
const believing = { https: 'x-forwarded-proto', host: 'x-forwarded-host' } as const

describe('what a sender can write', () => {
  test('nothing that a sender can write makes fromNodeRequest throw', () => {
    const names = fc.oneof(text, fc.constantFrom('host', 'Host', ':authority', ':path', 'X-Forwarded-Host'))
    fc.assert(
      fc.property(fc.array(fc.tuple(names, text)), text, text, (headers, method, url) => {
        const req = Object.assign(new IncomingMessage(new Socket()), { rawHeaders: headers.flat(), method, url })
        expect(fromNodeRequest(req)).toMatchObject({ method, target: url, https: false })
        expect(linesOf(fromNodeRequest(req, believing)).some(([name]) => name.startsWith(':'))).toBe(false)
      })
    )
  })

  test('nothing that a sender can write makes fromFetchRequest throw', () => {
    const request = { method: 'GET', headers: new Headers(), body: null, bodyUsed: false }
    const targetOf = (url: string) => fromFetchRequest({ ...request, url } as Request).target
    fc.assert(
      fc.property(text, rest => {
        expect(targetOf(rest)).toMatch(/^\//)
        // as it is, up to a fragment
        const target = `/${rest.replaceAll('#', '')}`
        expect(targetOf(`https://receiver.example${target}`)).toBe(target)
        expect(targetOf(`http://receiver.example${target}#${rest}`)).toBe(target)
      })
    )
  })

  test('nothing that a sender can write makes fromLambdaEvent throw', () => {
    const values = fc.dictionary(text, text)
    const lists = fc.dictionary(text, fc.array(text))
    const common = { headers: values, body: fc.option(text), isBase64Encoded: fc.boolean() }
    const format1 = fc.record({
      ...common,
      httpMethod: text,
      path: text,
      version: fc.constantFrom('1.0', undefined),
      multiValueHeaders: fc.option(lists),
      queryStringParameters: values,
      multiValueQueryStringParameters: fc.option(lists),
      requestContext: fc.record({ path: text, stage: text, domainName: text })
    })
    const format2 = fc.record({
      ...common,
      version: fc.constant('2.0'),
      rawPath: text,
      rawQueryString: text,
      cookies: fc.option(fc.array(text)),
      requestContext: fc.record({ http: fc.record({ method: text }), stage: text, domainName: text })
    })
    fc.assert(
      fc.property(fc.oneof(format1, format2), event => {
        expect(typeof fromLambdaEvent(event as never, believing).target).toBe('string')
      })
    )
  })
})

test('re-encodes the parameters of a REST API to their original form', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), parameters => {
      const lists: Record<string, string[]> = Object.create(null)
      for (const [name, value] of parameters) lists[name] = [...(lists[name] ?? []), value]
      const { target } = fromLambdaEvent({ httpMethod: 'GET', path: '/', multiValueQueryStringParameters: lists })
      expect(target).toMatch(/^\/(?:\?[A-Za-z0-9\-._~%=&]*)?$/)
      const back = new URLSearchParams(target.slice(2))
      for (const [name, values] of Object.entries(lists)) expect(back.getAll(name)).toEqual(values)
    })
  )
})
