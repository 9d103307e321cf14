import { describe, expect, test } from 'vitest'
import { FORWARDED, forwardedNotes } from '../../../src/http/request.ts'
import { fromLambdaEvent, type ProxyOptions } from '../../../src/index.ts'

const received = (multiValueHeaders: Record<string, string[]>, options: ProxyOptions) =>
  fromLambdaEvent({ requestContext: { elb: {} }, httpMethod: 'GET', path: '/', multiValueHeaders }, options)

describe('notes a forwarding header that was asked for and could not be used', () => {
  test.each([
    ['absent', []],
    ['http', ['http']],
    ['a list', ['https, http']],
    ['repeated', ['https', 'https']]
  ])('X-Forwarded-Proto: %s', (_, values) => {
    const request = received({ 'x-forwarded-proto': values }, { https: 'x-forwarded-proto' })
    expect(forwardedNotes(request)).toEqual({ https: { header: 'X-Forwarded-Proto', received: values } })
  })

  test.each([
    ['absent', []],
    ['a list', ['a.example, b.example']],
    ['repeated', ['a.example', 'a.example']],
    ['empty', ['']]
  ])('X-Forwarded-Host: %s', (_, values) => {
    const request = received({ 'X-Forwarded-Host': values }, { host: 'x-forwarded-host' })
    expect(forwardedNotes(request)).toEqual({ host: { header: 'X-Forwarded-Host', received: values } })
  })

  test('X-Forwarded-Prefix: absent', () => {
    const request = received({}, { prefix: 'x-forwarded-prefix' })
    expect(forwardedNotes(request)).toEqual({ prefix: { header: 'X-Forwarded-Prefix', received: [] } })
  })
})

test('a header that was usable, or was not asked for, leaves no note', () => {
  const headers = {
    'X-Forwarded-Proto': ['https'],
    'X-Forwarded-Host': ['receiver.example'],
    'X-Forwarded-Prefix': ['/hooks']
  }
  const asked = {
    https: 'x-forwarded-proto',
    host: 'x-forwarded-host',
    prefix: 'x-forwarded-prefix'
  } as const
  expect(forwardedNotes(received(headers, asked))).toBeUndefined()
  expect(forwardedNotes(received({}, {}))).toBeUndefined()
  expect(forwardedNotes(received({}, { https: true, host: 'a.example', prefix: '/a' }))).toBeUndefined()
})

test('the notes are not enumerable', () => {
  const request = received({}, { https: 'x-forwarded-proto' })
  expect(Object.keys(request)).toEqual(['method', 'target', 'headers', 'body', 'https'])
  expect(Object.prototype.propertyIsEnumerable.call(request, FORWARDED)).toBe(false)
  expect(forwardedNotes({ ...request })).toBeUndefined()
})
