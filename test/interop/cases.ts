/** What is signed, here and there: a request without its signature, and the list of what is covered. */
export interface Case {
  name: string
  method: string
  target: string
  /** the Host, Date, account and Digest lines besides these are the same in all */
  headers: readonly Line[]
  /** undefined: the signature has no list */
  covered: readonly string[] | undefined
  /** of the draft's signature; those of RFC 9421 are all rsa-v1_5-sha256 */
  algorithm: 'rsa-sha256' | 'hs2019'
  body: string
  /** the covered names without which the case was not judged; all of them where it is not said */
  needs: readonly string[]
  /** the list is the case: it must be written as it was asked for, order and letters */
  isList?: true
  /** what a peer must do for itself in this case, and not the test in its place */
  own?: Preparation | 'digest'
  /** the case of the letters in the names of all header lines */
  letters?: 'lower' | 'upper'
  /** signed by the test kit, with the list that the service signs */
  isKit?: true
}

export type Line = readonly [name: string, value: string]

/** What is done to header lines for a peer that does not take them as they arrive. */
export type Preparation = 'joined' | 'trimmed' | 'lower-cased'

export const HOST = 'receiver.example'
const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
const BODY = '{"event":"published"}'
const CONTENT: readonly Line[] = [
  ['Content-Length', String(BODY.length)],
  ['Content-Type', 'application/json']
]
const NONCE: Line = ['X-Nonce', 'n-1']
const LONG = 'x'.repeat(2 ** 20)

const make = (name: string, change: Partial<Case> = {}): Case => ({
  name,
  method: 'POST',
  target: '/hook',
  headers: [],
  covered: FIVE,
  algorithm: 'rsa-sha256',
  body: BODY,
  needs: change.covered ?? FIVE,
  ...change
})

/** With a header that is covered besides the usual names. */
const withHeader =
  (usual: readonly string[]) =>
  (name: string, header: string, values: readonly string[], change: Partial<Case> = {}): Case =>
    make(name, {
      headers: values.map(value => [header, value]),
      covered: [...usual, header.toLowerCase()],
      needs: [header.toLowerCase()],
      ...change
    })

const draft = withHeader(FIVE)

/** draft-cavage-http-signatures-12 sections 2.1 and 2.3, rule by rule. */
export const DRAFT_CASES: readonly Case[] = [
  make('the five names'),
  make('another order', { covered: [...FIVE].reverse(), isList: true }),
  make('names in the list in mixed case', {
    covered: ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest'],
    isList: true
  }),
  make('more names', {
    headers: CONTENT,
    covered: [...FIVE, 'content-type', 'content-length'],
    needs: ['content-type', 'content-length']
  }),
  make("the service's own list, with X-Nonce", {
    headers: [...CONTENT, NONCE],
    covered: '(request-target) Host Date Content-length Content-type X-Service-ID Digest X-nonce'.split(' '),
    isKit: true
  }),
  make('no list', { covered: undefined, algorithm: 'hs2019', needs: [], isList: true }),
  make('the algorithm hs2019', { algorithm: 'hs2019' }),
  make('(created) and (expires) with hs2019', { algorithm: 'hs2019', covered: [...FIVE, '(created)', '(expires)'] }),
  make('header lines in lower case', { letters: 'lower', own: 'lower-cased' }),
  make('header lines in upper case', { letters: 'upper', own: 'lower-cased' }),
  draft('an empty value', 'X-Empty', ['']),
  draft('a repeated header', 'X-Tag', ['a', 'b'], { own: 'joined' }),
  draft('an empty line among repeated ones', 'X-Tag', ['a', '', 'b'], { own: 'joined' }),
  draft('white space around a value', 'X-Text', [' \ttwo  words\t '], { own: 'trimmed' }),
  draft('octets above ASCII in a value', 'X-Text', ['caf\xe9']),
  draft('a value of 8000 characters', 'X-Text', ['a'.repeat(8000)]),
  draft('a header named like a property of objects', 'constructor', ['x']),
  make('a target with a query', { target: '/hook?id=42', needs: ['(request-target)'] }),
  make('a target with dot segments and escapes', {
    target: '/a/../hook/%7Eme?q=a%20b&&=',
    needs: ['(request-target)']
  }),
  make('a method in lower case', { method: 'put', needs: ['(request-target)'] }),
  make('a body of 1 MiB', { body: LONG, needs: ['digest'], own: 'digest' })
]

/** RFC 9421 section 2, component by component. `rfc9421` names: header names and derived components. */
const COMPONENTS = ['@method', '@target-uri', '@authority', 'date', 'x-service-id', 'content-digest']

const rfc9421 = withHeader(COMPONENTS)
const components = (name: string, change: Partial<Case> = {}): Case => make(name, { covered: COMPONENTS, ...change })
const DICTIONARY: readonly Line[] = [['X-Dict', 'a=1;x=?1,   b=2;y=2,  c=(a   b)']]

export const RFC9421_CASES: readonly Case[] = [
  components('the usual components'),
  components('another order', { covered: [...COMPONENTS].reverse(), isList: true }),
  components('path and query', {
    covered: '@method @path @query @scheme @authority date x-service-id content-digest'.split(' '),
    needs: ['@path', '@query', '@scheme']
  }),
  components('the request target', {
    covered: COMPONENTS.map(name => (name === '@target-uri' ? '@request-target' : name)),
    needs: ['@request-target']
  }),
  components("the service's own list, with X-Nonce", {
    headers: [...CONTENT, NONCE],
    covered: [
      '@method',
      '@request-target',
      '@authority',
      'date',
      'content-length',
      'content-type',
      'x-service-id',
      'content-digest',
      'x-nonce'
    ],
    isKit: true
  }),
  components('an empty list', { covered: [], isList: true }),
  components('query parameters', {
    target: '/hook?id=42&q=a%20b%2F%C3%A9',
    covered: [...COMPONENTS, '@query-param;name="id"', '@query-param;name="q"'],
    needs: ['@query-param;name="id"', '@query-param;name="q"']
  }),
  components('a field with sf', { headers: DICTIONARY, covered: [...COMPONENTS, 'x-dict;sf'], needs: ['x-dict;sf'] }),
  components('members of a field with key', {
    headers: DICTIONARY,
    covered: [...COMPONENTS, 'x-dict;key="a"', 'x-dict;key="b"', 'x-dict;key="c"'],
    needs: ['x-dict;key="a"', 'x-dict;key="b"', 'x-dict;key="c"']
  }),
  components('repeated lines with bs', {
    headers: [
      ['X-Tag', 'value, with'],
      ['X-Tag', 'commas']
    ],
    covered: [...COMPONENTS, 'x-tag;bs'],
    needs: ['x-tag;bs'],
    own: 'joined'
  }),
  components('header lines in lower case', { letters: 'lower', own: 'lower-cased', needs: ['date'] }),
  components('header lines in upper case', { letters: 'upper', own: 'lower-cased', needs: ['date'] }),
  rfc9421('an empty value', 'X-Empty', ['']),
  rfc9421('a repeated header', 'X-Tag', ['a', 'b'], { own: 'joined' }),
  rfc9421('an empty line among repeated ones', 'X-Tag', ['a', '', 'b'], { own: 'joined' }),
  rfc9421('white space around a value', 'X-Text', [' two  words '], { own: 'trimmed' }),
  components('a target with dot segments and escapes', {
    target: '/a/../hook/%7Eme?q=a%20b&&=',
    needs: ['@target-uri']
  }),
  components('a target with a query', { target: '/hook?id=42', needs: ['@target-uri'] }),
  components('a method in lower case', { method: 'put', needs: ['@method'] }),
  components('a body of 1 MiB', { body: LONG, needs: ['content-digest'], own: 'digest' })
]
