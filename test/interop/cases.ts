/** What is signed, here and there: a request without its signature, and the list of what is covered. */
export interface Case {
  name: string
  method: string
  target: string
  /** the Host, Date, account and Digest lines besides these are the same in all */
  headers: readonly Line[]
  covered: readonly string[]
  body: string
}

export type Line = readonly [name: string, value: string]

export const HOST = 'receiver.example'
const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
const BODY = '{"event":"published"}'

const make = (name: string, change: Partial<Case> = {}): Case => ({
  name,
  method: 'POST',
  target: '/hook',
  headers: [],
  covered: FIVE,
  body: BODY,
  ...change
})

/** draft-cavage-http-signatures-12 section 2.3, rule by rule. */
export const DRAFT_CASES: readonly Case[] = [
  make('the five names'),
  make('another order', { covered: [...FIVE].reverse() }),
  make('names in the list in mixed case', {
    covered: ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest']
  }),
  make('more names', {
    headers: [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(BODY.length)]
    ],
    covered: [...FIVE, 'content-type', 'content-length']
  }),
  make('an empty value', { headers: [['X-Empty', '']], covered: [...FIVE, 'x-empty'] }),
  make('a repeated header', {
    headers: [
      ['X-Tag', 'a'],
      ['X-Tag', 'b']
    ],
    covered: [...FIVE, 'x-tag']
  }),
  make('white space around a value', {
    headers: [['X-Text', ' \ttwo  words\t ']],
    covered: [...FIVE, 'x-text']
  }),
  make('octets above ASCII in a value', { headers: [['X-Text', 'caf\xe9']], covered: [...FIVE, 'x-text'] }),
  make('a value of 8000 characters', {
    headers: [['X-Text', 'a'.repeat(8000)]],
    covered: [...FIVE, 'x-text']
  }),
  make('a header named like a property of objects', {
    headers: [['constructor', 'x']],
    covered: [...FIVE, 'constructor']
  }),
  make('a target with a query', { target: '/hook?id=42' }),
  make('a target with dot segments and escapes', { target: '/a/../hook/%7Eme?q=a%20b&&=' }),
  make('a method in lower case', { method: 'put' }),
  make('a body of 1 MiB', { body: 'x'.repeat(2 ** 20) })
]

/** RFC 9421 section 2, component by component. `rfc9421` names: header names and derived components. */
const COMPONENTS = ['@method', '@target-uri', '@authority', 'date', 'x-service-id', 'content-digest']

export const RFC9421_CASES: readonly Case[] = [
  make('the usual components', { covered: COMPONENTS }),
  make('another order', { covered: [...COMPONENTS].reverse() }),
  make('path and query', {
    covered: ['@method', '@path', '@query', '@scheme', '@authority', 'date', 'x-service-id', 'content-digest']
  }),
  make('the request target', {
    covered: COMPONENTS.map(name => (name === '@target-uri' ? '@request-target' : name))
  }),
  make('an empty value', { headers: [['X-Empty', '']], covered: [...COMPONENTS, 'x-empty'] }),
  make('a repeated header', {
    headers: [
      ['X-Tag', 'a'],
      ['X-Tag', 'b']
    ],
    covered: [...COMPONENTS, 'x-tag']
  }),
  make('white space around a value', {
    headers: [['X-Text', ' two  words ']],
    covered: [...COMPONENTS, 'x-text']
  }),
  make('a target with dot segments and escapes', {
    target: '/a/../hook/%7Eme?q=a%20b&&=',
    covered: COMPONENTS
  }),
  make('a target with a query', { target: '/hook?id=42', covered: COMPONENTS }),
  make('a method in lower case', { method: 'put', covered: COMPONENTS }),
  make('a body of 1 MiB', { body: 'x'.repeat(2 ** 20), covered: COMPONENTS })
]
