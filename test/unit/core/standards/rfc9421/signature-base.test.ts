import { describe, expect, test } from 'vitest'
import { buildSignatureBase, parseSignatureInput, type SignedRequest } from '../../../../../src/rfc9421/index.ts'

type Lines = readonly (readonly [name: string, value: string])[]

const get = (target: string, headers: Lines = [['Host', 'www.example.com']]): SignedRequest => ({
  method: 'GET',
  target,
  headers,
  https: true
})

/** Makes a request with one line of the field X. */
const getX = (value: string): SignedRequest => get('/', [['X', value]])

const ABSENT = { code: 'coverage-absent' }

function build(request: SignedRequest, components: string) {
  const inputs = parseSignatureInput(`sig=(${components})`)
  if (!inputs.ok) throw new Error(`${components} cannot be parsed`)
  return buildSignatureBase(request, inputs.value[0]!)
}

/** Returns all lines of the base except the last, which is the components themselves. */
function linesOf(request: SignedRequest, components: string): string[] {
  const base = build(request, components)
  if (!base.ok) throw new Error(`${components}: ${base.code} ${JSON.stringify(base.evidence)}`)
  const lines = base.value.split('\n')
  expect(lines.pop()).toBe(`"@signature-params": (${components})`)
  return lines
}

const readValue = (request: SignedRequest, component: string): string =>
  linesOf(request, component)[0]!.slice(component.length + 2)

describe('fields, section 2.1', () => {
  const request = get('/', [
    ['Host', 'www.example.com'],
    ['Date', 'Tue, 20 Apr 2021 02:07:56 GMT'],
    ['X-OWS-Header', '   Leading and trailing whitespace.   \t'],
    ['Cache-Control', 'max-age=60'],
    ['X-Empty-Header', ''],
    ['Cache-Control', '    must-revalidate'],
    ['Example-Dict', '  a=1,    b=2;x=1;y=2,   c=(a   b   c)  ']
  ])

  test('fields match the example of section 2.1', () => {
    const components = '"host" "date" "x-ows-header" "cache-control" "example-dict" "x-empty-header" "example-dict";sf'
    expect(linesOf(request, components)).toEqual([
      '"host": www.example.com',
      '"date": Tue, 20 Apr 2021 02:07:56 GMT',
      '"x-ows-header": Leading and trailing whitespace.',
      '"cache-control": max-age=60, must-revalidate',
      '"example-dict": a=1,    b=2;x=1;y=2,   c=(a   b   c)',
      '"x-empty-header": ',
      '"example-dict";sf: a=1, b=2;x=1;y=2, c=(a b c)'
    ])
  })

  test('fields cannot pose as two lines', () => {
    const malformed = (part: string) => ({ code: 'request-malformed', evidence: { part } })
    for (const value of ['a\n"x": b', 'a\r\n b', 'a\0']) {
      expect(build(getX(value), '"x"')).toMatchObject(malformed('header-value'))
    }
    expect(build({ ...get('/'), method: 'GET\n' }, '"@method"')).toMatchObject(malformed('method'))
    expect(build(get('/\n'), '"@request-target"')).toMatchObject(malformed('target'))
  })

  test.each(['caf\xe9', 'cafe\u0301', '\x1b[2J', '\x7f', 'a\u2028b'])('fields have no value when it is %j', value => {
    const evidence = { absent: ['x'], reason: expect.stringContaining('printable ASCII') }
    expect(build(getX(value), '"x"')).toMatchObject({ ...ABSENT, evidence })
  })

  test('fields keep a tab inside', () => expect(readValue(getX('a\tb'), '"x"')).toBe('a\tb'))
})

describe('members of a dictionary, section 2.1.2', () => {
  const request = get('/', [
    ['Example-Dict', '  a=1, b=2;x=1;y=2, c=(a   b    c)'],
    ['Example-Dict', 'd, e=:AAE=:;q']
  ])

  test('members of a dictionary match the example of section 2.1.2', () => {
    expect(linesOf(request, ['a', 'd', 'b', 'c', 'e'].map(key => `"example-dict";key="${key}"`).join(' '))).toEqual([
      '"example-dict";key="a": 1',
      '"example-dict";key="d": ?1',
      '"example-dict";key="b": 2;x=1;y=2',
      '"example-dict";key="c": (a b c)',
      '"example-dict";key="e": :AAE=:;q'
    ])
  })

  test('members of a dictionary are absent when there is no such key, no such field or no dictionary', () => {
    const evidence = { absent: ['example-dict;key="f"'] }
    expect(build(request, '"example-dict";key="f"')).toMatchObject({ ...ABSENT, evidence })
    expect(build(request, '"other";key="a"')).toMatchObject(ABSENT)
    expect(build(getX('a, "b'), '"x";key="a"')).toMatchObject(ABSENT)
  })

  test('members of a dictionary may be written with sf, which is implied', () => {
    expect(readValue(request, '"example-dict";sf;key="b"')).toBe('2;x=1;y=2')
  })
})

describe('strict serialization, section 2.1.1', () => {
  test.each([
    ['  a ,\tb;x=1', 'a, b;x=1'],
    ['"a  b"', '"a  b"'],
    ['a, a', 'a, a'],
    ['a=1,a=2', 'a=2'],
    ['', ''],
    ['  ( a   b );q=1.50', '(a b);q=1.5']
  ])('a field is serialized strictly: %j is %j', (value, canonical) =>
    expect(readValue(getX(value), '"x";sf')).toBe(canonical)
  )

  test.each([
    'a=',
    '"open',
    'a,,b',
    'Fri, 20 Nov 2026 12:00:00 GMT',
    'caf\xe9',
    `"${'a'.repeat(1023)}"`,
    `${'a,'.repeat(56)}a`
  ])('strict serialization of %j fails', value => {
    expect(build(getX(value), '"x";sf')).toMatchObject(ABSENT)
  })
})

describe('what is covered with parameters, and read before the signature has verified', () => {
  const REASON =
    'more than 8 are covered with parameters, or they and Signature-Input have in all more than 1024 characters or 55 commas, semicolons and spaces'
  const beyond = (absent: string) => ({ ...ABSENT, evidence: { absent: [absent], reason: REASON } })
  /** Makes a request whose Signature-Input header has this many characters. */
  const withInput = (length: number, headers: Lines, target = '/') =>
    get(target, [['Signature-Input', 'i'.repeat(length)], ...headers])
  const repeat = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))
  const lines = (count: number): Lines => repeat(count, () => ['X', 'a'])

  test.each<[what: string, component: string, longest: SignedRequest, longer: SignedRequest]>([
    ['sf', '"x";sf', withInput(500, [['X', 'a'.repeat(523)]]), withInput(500, [['X', 'a'.repeat(524)]])],
    ['bs', '"x";bs', withInput(500, [['X', 'a'.repeat(523)]]), withInput(500, [['X', 'a'.repeat(524)]])],
    ['key', '"x";key="a"', withInput(500, [['X', `a=${'1'.repeat(521)}`]]), withInput(500, [['X', 'a'.repeat(524)]])],
    ['the lines of a field', '"x";bs', withInput(1, lines(28)), withInput(1, lines(29))]
  ])('components with parameters have a bound together with Signature-Input: %s', (_, component, longest, longer) => {
    expect(build(longest, component)).not.toMatchObject({ evidence: { reason: REASON } })
    expect(build(longer, component)).toMatchObject(beyond(component.replaceAll('"x"', 'x')))
  })

  test('components with parameters have a bound for a query whose parameters are covered', () => {
    const both = (length: number) =>
      build(withInput(500, [], `/?a=${'1'.repeat(length - 4)}`), '"@query-param";name="a"')
    expect(both(523).ok).toBe(true)
    expect(both(524)).toMatchObject(beyond('@query-param;name="a"'))
  })

  test('a field counts once toward the bound of components with parameters', () => {
    const fields = withInput(500, [['X', `a="${'a'.repeat(500)}"`]])
    expect(build(fields, '"x";sf "x";bs "x";key="a"').ok).toBe(true)
  })

  test('components without parameters have no bound', () => {
    expect(build(withInput(500, [['X', 'a'.repeat(5000)]]), '"x"').ok).toBe(true)
  })

  test('components with parameters are at most eight', () => {
    const keys = (count: number) => repeat(count, i => `"x";key="k${i}"`).join(' ')
    const all = getX(repeat(9, i => `k${i}`).join())
    expect(build(all, keys(8)).ok).toBe(true)
    expect(build(all, keys(9))).toMatchObject({ evidence: { reason: REASON } })
  })
})

describe('binary-wrapped fields, section 2.1.3', () => {
  const lines: Lines = [
    ['Example-Header', 'value, with, lots'],
    ['Example-Header', ' of, commas ']
  ]

  test('binary-wrapped fields match the examples of section 2.1.3, however the headers are given', () => {
    const expected = ':dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:'
    const record = { 'example-header': ['value, with, lots', 'of, commas'] }
    for (const headers of [lines, record, lines.values()]) {
      expect(readValue({ ...get('/'), headers }, '"example-header";bs')).toBe(expected)
    }
    expect(readValue(getX('value, with, lots, of, commas'), '"x";bs')).toBe(
      ':dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:'
    )
  })

  test('binary-wrapped fields carry octets beyond ASCII, and no character that is not an octet', () => {
    const three = (last: Lines[number]) => get('/', [['X', 'a'], ['X', 'b'], last])
    expect(readValue(getX('caf\xe9'), '"x";bs')).toBe(':Y2Fm6Q==:')
    expect(build(getX('\u2603'), '"x";bs')).toMatchObject(ABSENT)
    expect(build(three(['X', '\u2603']), '"x";bs')).toMatchObject(ABSENT)
    expect(readValue(three(['x', 'c']), '"x";bs')).toBe(':YQ==:, :Yg==:, :Yw==:')
  })
})

describe('derived components, section 2.2', () => {
  test('@method is as it was sent', () => expect(readValue({ ...get('/'), method: 'post' }, '"@method"')).toBe('post'))

  test.each([
    ['/path?param=value', 'https://www.example.com/path?param=value'],
    ['/', 'https://www.example.com/'],
    ['//a/../b?', 'https://www.example.com//a/../b?'],
    ['/%7Eu?q=%2F', 'https://www.example.com/%7Eu?q=%2F'],
    ['HTTPS://WWW.example.com:443/x', 'HTTPS://WWW.example.com:443/x']
  ])('@target-uri of %s', (target, uri) => expect(readValue(get(target), '"@target-uri"')).toBe(uri))

  test.each([
    ['www.example.com', true, 'www.example.com'],
    ['WWW.Example.COM', true, 'www.example.com'],
    ['www.example.com:443', true, 'www.example.com'],
    ['www.example.com:443', false, 'www.example.com:443'],
    ['www.example.com:80', false, 'www.example.com'],
    ['www.example.com:', false, 'www.example.com'],
    ['www.example.com:80', true, 'www.example.com:80'],
    ['www.example.com:', true, 'www.example.com'],
    ['www.example.com:8443', true, 'www.example.com:8443'],
    ['[2001:DB8::443]', true, '[2001:db8::443]'],
    ['[::1]:443', true, '[::1]']
  ])('@authority of %s over TLS: %s', (host, https, authority) => {
    expect(readValue({ ...get('/', [['Host', host]]), https }, '"@authority"')).toBe(authority)
  })

  test.each([
    ['/', true, 'https'],
    ['/', false, 'http'],
    ['http://www.example.com/', true, 'http']
  ])('@scheme of %s over TLS %j is %s', (target, https, scheme) => {
    expect(readValue({ ...get(target), https }, '"@scheme"')).toBe(scheme)
  })

  test.each(['/path?a=b', 'https://www.example.com/path?a=b', '*', 'www.example.com:80'])(
    '@request-target %s is as it was sent',
    target => expect(readValue(get(target), '"@request-target"')).toBe(target)
  )

  test.each([
    ['/path?param=value', '/path', '?param=value'],
    ['/path', '/path', '?'],
    ['/path?', '/path', '?'],
    ['/a?b?c', '/a', '?b?c'],
    ['/path?queryString', '/path', '?queryString'],
    ['/path?param=value&foo=bar&baz=bat%2Dman', '/path', '?param=value&foo=bar&baz=bat%2Dman'],
    ['https://www.example.com', '/', '?'],
    ['https://www.example.com?a=b', '/', '?a=b'],
    ['http://www.example.com:80/x?y', '/x', '?y']
  ])('@path and @query of %s', (target, path, query) => {
    expect(linesOf(get(target), '"@path" "@query"')).toEqual([`"@path": ${path}`, `"@query": ${query}`])
  })

  test.each([
    '*',
    'www.example.com:443',
    'path',
    '/path#fragment',
    'https://www.example.com/path#fragment',
    'https://www.example.com?query#fragment',
    'https://other.example/',
    'https://user@www.example.com/',
    'https://www.example.com:8443/',
    'ftp://www.example.com/'
  ])('nothing is made of %s, whatever Host is', target => {
    for (const headers of [[['Host', 'www.example.com']], [], [['Host', 'two hosts']]] as Lines[]) {
      for (const name of ['@target-uri', '@authority', '@scheme', '@path', '@query']) {
        expect(build(get(target, headers), `"${name}"`)).toMatchObject({ ...ABSENT, evidence: { absent: [name] } })
      }
    }
  })

  test('a target that is not ASCII cannot be signed', () => {
    for (const name of ['@target-uri', '@path', '@request-target']) {
      expect(build(get('/caf\xe9'), `"${name}"`)).toMatchObject(ABSENT)
    }
  })

  test.each([
    { hosts: [] },
    { hosts: [''] },
    { hosts: ['www.example.com', 'www.example.com'] },
    // a Kelvin sign, which is a k in lower case
    { hosts: ['\u212a.example'] },
    { hosts: ['www example'] },
    { hosts: ['www.example.com/x'] },
    { hosts: ['user@www.example.com'] }
  ])('the target has a path, but no authority, when Host is $hosts', ({ hosts }) => {
    const headers = hosts.map(host => ['Host', host] as const)
    const [path, absolute] = [get('/x?y', headers), get('https://www.example.com/', headers)]
    expect(readValue(path, '"@path"')).toBe('/x')
    for (const name of ['"@authority"', '"@target-uri"']) expect(build(path, name)).toMatchObject(ABSENT)
    for (const name of ['"@authority"', '"@path"']) expect(build(absolute, name)).toMatchObject(ABSENT)
  })
})

describe('query parameters, section 2.2.8', () => {
  const readParam = (query: string, name: string) => readValue(get(`/path?${query}`), `"@query-param";name="${name}"`)

  const hard = 'var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something'

  test.each([
    // the examples of the section
    ['param=value&foo=bar&baz=batman&qux=', 'baz', 'batman'],
    ['param=value&foo=bar&baz=batman&qux=', 'qux', ''],
    ['param=value&foo=bar&baz=batman&qux=', 'param', 'value'],
    [hard, 'var', 'this%20is%20a%20big%0Amultiline%20value'],
    [hard, 'bar', 'with%20plus%20whitespace'],
    [hard, 'fa%C3%A7ade%22%3A%20', 'something'],
    // others
    ["a=!'()~*-._", 'a', '%21%27%28%29%7E*-._'],
    ['a=%7e%41', 'a', '%7EA'],
    ['a%2Db=1', 'a-b', '1'],
    ['a', 'a', ''],
    ['?a=1', '%3Fa', '1'],
    ['__proto__=1', '__proto__', '1'],
    ['=1', '', '1'],
    ['a=1%', 'a', '1%25'],
    ['a=%2x%zz', 'a', '%252x%25zz']
  ])('?%s: %s is %s', (query, name, value) => expect(readParam(query, name)).toBe(value))

  test.each([
    ['not UTF-8: %FE and %FF would have the same signed form', ['?a=%FF', '?a=1&b=%FE', '?%C3=1&a=1']],
    ['none or more than one of the name, in any spelling', ['', '?', '?b=1', '?a=1&a=1', '?a=1&%61=2', '?A=1']]
  ])('query parameters are not signed when there is %s', (_, queries) => {
    const evidence = { absent: ['@query-param;name="a"'] }
    for (const query of queries) {
      expect(build(get(`/path${query}`), '"@query-param";name="a"')).toMatchObject({ ...ABSENT, evidence })
    }
  })

  test('query parameters are found by the name as it is signed alone', () => {
    expect(build(get('/path?a-b=1'), '"@query-param";name="a%2Db"')).toMatchObject(ABSENT)
  })
})

describe('a component that no request has is refused, not skipped', () => {
  const UNKNOWN = 'there is no such derived component'
  const NO_PARAMETERS = 'this derived component takes no parameters'
  const NAME_ALONE = '@query-param must have the parameter name and no other'
  const LOWER_CASE = 'a field name must be a token in lower case'
  const FIELD = 'the parameters of a field must be sf, bs, or key with a string'
  test.each([
    ['a request has no @status', '"@status"'],
    ['@signature-params cannot be listed', '"@signature-params"'],
    ['req is for the signature of a response', '"@method";req', '"date";req'],
    ['trailers are not supported', '"x";tr'],
    [UNKNOWN, '"@unknown"', '"@METHOD"', '"@"'],
    [NO_PARAMETERS, '"@method";sf', '"@path";name="a"'],
    [NAME_ALONE, '"@query-param"', '"@query-param";name', '"@query-param";name=a', '"@query-param";name="a";sf'],
    [LOWER_CASE, '"Date"', '""', '"a b"', '"(request-target)"'],
    [FIELD, '"x";unknown', '"x";sf=?0', '"x";bs=1', '"x";key', '"x";key=a', '"x";name="a"'],
    ['bs must not be used with sf or key', '"x";bs;sf', '"x";key="a";bs']
  ])('a component that no request has is refused, not skipped: %s: %s', (reason, ...components) => {
    for (const component of components) {
      const evidence = { position: 9, reason }
      expect(build(getX('a'), `"@path" ${component}`)).toMatchObject({ code: 'signature-malformed', evidence })
    }
  })
})

describe('a component that is listed twice is refused', () => {
  test.each([
    ['"@path" "@path"', ['@path']],
    ['"x" "y" "x"', ['x']],
    ['"x";sf "x";sf', ['x;sf']],
    ['"x";sf;key="a" "x";key="a";sf', ['x;key="a";sf']],
    ['"@query-param";name="a" "@query-param";name="a"', ['@query-param;name="a"']]
  ])('a component that is listed twice is refused: %s', (components, repeated) => {
    expect(build(get('/?a=1'), components)).toMatchObject({ code: 'coverage-repeated', evidence: { repeated } })
  })

  test('a component that is listed twice is not refused when its parameters differ', () => {
    const request = get('/?a=1&b=2', [['X', 'a=1, b=2']])
    const components = '"x" "x";sf "x";bs "x";key="a" "x";key="b" "@query-param";name="a" "@query-param";name="b"'
    expect(linesOf(request, components)).toHaveLength(7)
  })
})
