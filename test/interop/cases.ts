/** A request without its signature, and its covered list, which both the peer and the library sign. */
export interface Case {
  name: string
  method: string
  target: string
  /** the Host, Date, account and Digest lines besides these are the same in all */
  headers: readonly Line[]
  /** undefined: the signature has no list */
  covered: readonly string[] | undefined
  algorithm: Algorithm
  body: string
  /** the covered names without which the case was not judged; all of them by default */
  needs: readonly string[]
  /** the list itself is tested: it must keep its order and its letters */
  isList?: true
  /** the step that a peer must do itself in this case, instead of the test */
  own?: Preparation | 'digest'
  /** the case of the letters in the names of all header lines */
  letters?: 'lower' | 'upper'
  /** signed by the test kit, with the list that the service signs */
  isKit?: true
}

export type Algorithm = 'rsa-sha256' | 'hs2019' | 'rsa-v1_5-sha256' | 'rsa-pss-sha512' | 'ed25519'

export type Line = readonly [name: string, value: string]

/** A change of header lines for a peer that does not accept them as they arrive. */
export type Preparation = 'joined' | 'trimmed' | 'lower-cased'

export const HOST = 'receiver.example'
const BODY = '{"event":"published"}'

/** The case is about `more`, which is covered besides the usual names. */
type Make = (name: string, change?: Partial<Case> & { more?: readonly string[] }) => Case
const casesOf =
  (usual: readonly string[], algorithm: Algorithm): Make =>
  (name, { more = [], ...change } = {}) => {
    const covered = [...usual, ...more]
    const needs = more.length > 0 ? more : (change.covered ?? usual)
    return { name, method: 'POST', target: '/hook', headers: [], covered, algorithm, body: BODY, needs, ...change }
  }

/** A covered header, with a line for each value. */
const header = (name: string, ...values: readonly string[]) => ({
  headers: values.map((value): Line => [name, value]),
  more: [name.toLowerCase()]
})

/** The service sends and covers these besides. */
const KIT: readonly Line[] = [
  ['Content-Length', String(BODY.length)],
  ['Content-Type', 'application/json'],
  ['X-Nonce', 'n-1']
]

/** Both standards have these cases. The names cover the method, the target and the body. */
const common = (make: Make, usual: readonly string[], method: string, target: string, digest: string) => [
  make('another order', { covered: [...usual].reverse(), isList: true }),
  make('header lines in lower case', { letters: 'lower', own: 'lower-cased', needs: ['date'] }),
  make('header lines in upper case', { letters: 'upper', own: 'lower-cased', needs: ['date'] }),
  make('an empty value', header('X-Empty', '')),
  make('a repeated header', { ...header('X-Tag', 'a', 'b'), own: 'joined' }),
  make('an empty line among repeated ones', { ...header('X-Tag', 'a', '', 'b'), own: 'joined' }),
  make('white space around a value', { ...header('X-Text', ' \ttwo  words\t '), own: 'trimmed' }),
  make('a target with a query', { target: '/hook?id=42', needs: [target] }),
  make('a target with dot segments and escapes', { target: '/a/../hook/%7Eme?q=a%20b&&=', needs: [target] }),
  make('a method in lower case', { method: 'put', needs: [method] }),
  make('a body of 1 MiB', { body: 'x'.repeat(2 ** 20), needs: [digest], own: 'digest' })
]

const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
const MIXED = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest']
const SERVICE = '(request-target) Host Date Content-length Content-type X-Service-ID Digest X-nonce'.split(' ')
const draft = casesOf(FIVE, 'rsa-sha256')

/** draft-cavage-http-signatures-12 sections 2.1 and 2.3, rule by rule. */
export const DRAFT_CASES: readonly Case[] = [
  draft('the five names'),
  draft('names in the list in mixed case', { covered: MIXED, isList: true }),
  draft('more names', { headers: KIT, more: ['content-type', 'content-length'] }),
  draft("the service's own list, with X-Nonce", { headers: KIT, covered: SERVICE, isKit: true }),
  draft('no list', { covered: undefined, algorithm: 'hs2019', needs: [], isList: true }),
  draft('the algorithm hs2019', { algorithm: 'hs2019' }),
  draft('(created) and (expires) with hs2019', { algorithm: 'hs2019', covered: [...FIVE, '(created)', '(expires)'] }),
  draft('octets above ASCII in a value', header('X-Text', 'caf\xe9')),
  draft('a value of 8000 characters', header('X-Text', 'a'.repeat(8000))),
  draft('a header named like a property of objects', header('constructor', 'x')),
  ...common(draft, FIVE, '(request-target)', '(request-target)', 'digest')
]

/** RFC 9421 section 2, component by component: header names and derived components. */
const COMPONENTS = ['@method', '@target-uri', '@authority', 'date', 'x-service-id', 'content-digest']
const TARGET = COMPONENTS.map(name => (name === '@target-uri' ? '@request-target' : name))
const PARTS = '@method @path @query @scheme @authority date x-service-id content-digest'.split(' ')
const rfc9421 = casesOf(COMPONENTS, 'rsa-v1_5-sha256')
const headers: readonly Line[] = [['X-Dict', 'a=1;x=?1,   b=2;y=2,  c=(a   b)']]

export const RFC9421_CASES: readonly Case[] = [
  rfc9421('the usual components'),
  rfc9421('the algorithm rsa-pss-sha512', { algorithm: 'rsa-pss-sha512' }),
  rfc9421('the algorithm ed25519', { algorithm: 'ed25519' }),
  rfc9421('path and query', { covered: PARTS, needs: ['@path', '@query', '@scheme'] }),
  rfc9421('the request target', { covered: TARGET, needs: ['@request-target'] }),
  rfc9421("the service's own list, with X-Nonce", {
    headers: KIT,
    covered: [...TARGET, 'content-length', 'content-type', 'x-nonce'],
    isKit: true
  }),
  rfc9421('an empty list', { covered: [], isList: true }),
  rfc9421('query parameters', {
    target: '/hook?id=42&q=a%20b%2F%C3%A9',
    more: ['@query-param;name="id"', '@query-param;name="q"']
  }),
  rfc9421('a field with sf', { headers, more: ['x-dict;sf'] }),
  rfc9421('members of a field with key', { headers, more: ['x-dict;key="a"', 'x-dict;key="b"', 'x-dict;key="c"'] }),
  rfc9421('repeated lines with bs', { ...header('X-Tag', 'value, with', 'commas'), more: ['x-tag;bs'], own: 'joined' }),
  ...common(rfc9421, COMPONENTS, '@method', '@target-uri', 'content-digest')
]
