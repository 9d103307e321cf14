import { describe, expect, test } from 'vitest'
import { buildSignatureBase, parseSignatureInput, type SignedRequest } from '../../../../src/standards/rfc9421/index.ts'

type Lines = readonly (readonly [name: string, value: string])[]

const get = (target: string, headers: Lines = [['Host', 'www.example.com']]): SignedRequest => ({
  method: 'GET',
  target,
  headers,
  https: true
})

function build(request: SignedRequest, components: string) {
  const inputs = parseSignatureInput(`sig=(${components})`)
  if (!inputs.ok) throw new Error(`${components} cannot be parsed`)
  return buildSignatureBase(request, inputs.value[0]!)
}

/** The base's lines but the last, which is the components themselves. */
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

  test('match the example of the section', () => {
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

  test('cannot pose as two lines', () => {
    for (const value of ['a\n"x": b', 'a\r\n b', 'a\0']) {
      expect(build(get('/', [['X', value]]), '"x"')).toMatchObject({ code: 'request-malformed' })
    }
    expect(build({ ...get('/'), method: 'GET\n' }, '"@method"')).toMatchObject({
      code: 'request-malformed',
      evidence: { part: 'method' }
    })
    expect(build(get('/\n'), '"@request-target"')).toMatchObject({
      code: 'request-malformed',
      evidence: { part: 'target' }
    })
  })

  test.each(['caf\xe9', 'cafe\u0301', '\x1b[2J', '\x7f', 'a\u2028b'])('have no value when it is %j', value => {
    expect(build(get('/', [['X', value]]), '"x"')).toMatchObject({
      code: 'coverage-absent',
      evidence: { absent: ['x'], reason: expect.stringContaining('printable ASCII') }
    })
  })

  test('keep a tab inside', () => expect(readValue(get('/', [['X', 'a\tb']]), '"x"')).toBe('a\tb'))
})

describe('members of a dictionary, section 2.1.2', () => {
  const request = get('/', [
    ['Example-Dict', '  a=1, b=2;x=1;y=2, c=(a   b    c)'],
    ['Example-Dict', 'd, e=:AAE=:;q']
  ])

  test('match the example of the section', () => {
    expect(linesOf(request, ['a', 'd', 'b', 'c', 'e'].map(key => `"example-dict";key="${key}"`).join(' '))).toEqual([
      '"example-dict";key="a": 1',
      '"example-dict";key="d": ?1',
      '"example-dict";key="b": 2;x=1;y=2',
      '"example-dict";key="c": (a b c)',
      '"example-dict";key="e": :AAE=:;q'
    ])
  })

  test('are absent when there is no such key, no such field or no dictionary', () => {
    expect(build(request, '"example-dict";key="f"')).toMatchObject({
      code: 'coverage-absent',
      evidence: { absent: ['example-dict;key="f"'] }
    })
    expect(build(request, '"other";key="a"')).toMatchObject({ code: 'coverage-absent' })
    expect(build(get('/', [['X', 'a, "b']]), '"x";key="a"')).toMatchObject({ code: 'coverage-absent' })
  })

  test('may be written with sf, which is implied', () => {
    expect(readValue(request, '"example-dict";sf;key="b"')).toBe('2;x=1;y=2')
  })
})

describe('strict serialization, section 2.1.1', () => {
  test.each([
    ['  a ,\tb;x= 1'.replace('= ', '='), 'a, b;x=1'],
    ['"a  b"', '"a  b"'],
    ['a, a', 'a, a'],
    ['a=1,a=2', 'a=2'],
    ['', ''],
    ['  ( a   b );q=1.50', '(a b);q=1.5']
  ])('%j is %j', (value, canonical) => expect(readValue(get('/', [['X', value]]), '"x";sf')).toBe(canonical))

  test.each([
    'a=',
    '"open',
    'a,,b',
    'Fri, 20 Nov 2026 12:00:00 GMT',
    'caf\xe9',
    `"${'a'.repeat(1023)}"`,
    `${'a,'.repeat(56)}a`
  ])('there is none of %j', value => {
    expect(build(get('/', [['X', value]]), '"x";sf')).toMatchObject({ code: 'coverage-absent' })
  })
})

describe('what is covered with parameters, and read before the signature has verified', () => {
  const REASON =
    'more than 8 are covered with parameters, or they and Signature-Input have in all more than 1024 characters or 55 commas, semicolons and spaces'
  /** A signature over this list, with a Signature-Input header of so many characters. */
  const header = (length: number): Lines => [['Signature-Input', 'i'.repeat(length)]]
  const value = (length: number): Lines => [['X', 'a'.repeat(length)]]

  test.each(['"x";sf', '"x";bs', '"x";key="a"'])('has a bound together with Signature-Input: %s', component => {
    const both = (length: number) => build(get('/', [...header(500), ...value(length)]), component)
    expect(both(524)).toMatchObject({ evidence: { absent: [expect.any(String)], reason: REASON } })
    expect(both(523)).not.toMatchObject({ evidence: { reason: REASON } })
  })

  test('has a bound for a query whose parameters are covered', () => {
    const query = (length: number) => `/?a=${'1'.repeat(length - 4)}`
    const both = (length: number) => build(get(query(length), header(500)), '"@query-param";name="a"')
    expect(both(523).ok).toBe(true)
    expect(both(524)).toMatchObject({ code: 'coverage-absent', evidence: { reason: REASON } })
  })

  test('counts a field once', () => {
    const fields = get('/', [...header(500), ['X', `a="${'a'.repeat(500)}"`]])
    expect(build(fields, '"x";sf "x";bs "x";key="a"').ok).toBe(true)
  })

  test('counts the lines of a field', () => {
    const lines = (count: number): Lines => Array.from({ length: count }, () => ['X', 'a'])
    expect(build(get('/', [...header(1), ...lines(28)]), '"x";bs').ok).toBe(true)
    expect(build(get('/', [...header(1), ...lines(29)]), '"x";bs')).toMatchObject({ evidence: { reason: REASON } })
  })

  test('has no bound where it is covered as it is', () => {
    expect(build(get('/', [...header(500), ...value(5000)]), '"x"').ok).toBe(true)
  })

  test('are at most eight', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, i) => `"x";key="k${i}"`).join(' ')
    const all: Lines = [['X', Array.from({ length: 9 }, (_, i) => `k${i}`).join()]]
    expect(build(get('/', all), keys(8)).ok).toBe(true)
    expect(build(get('/', all), keys(9))).toMatchObject({ evidence: { reason: REASON } })
  })
})

describe('binary-wrapped fields, section 2.1.3', () => {
  const lines: Lines = [
    ['Example-Header', 'value, with, lots'],
    ['Example-Header', ' of, commas ']
  ]

  test('match the examples of the section, however the headers are given', () => {
    const expected = ':dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:'
    expect(readValue(get('/', lines), '"example-header";bs')).toBe(expected)
    const record = { 'example-header': ['value, with, lots', 'of, commas'] }
    expect(readValue({ ...get('/'), headers: record }, '"example-header";bs')).toBe(expected)
    function* once() {
      yield* lines
    }
    expect(readValue({ ...get('/'), headers: once() }, '"example-header";bs')).toBe(expected)
    const one: Lines = [['Example-Header', 'value, with, lots, of, commas']]
    expect(readValue(get('/', one), '"example-header";bs')).toBe(':dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:')
  })

  test('carry octets beyond ASCII, and no character that is not an octet', () => {
    expect(readValue(get('/', [['X', 'caf\xe9']]), '"x";bs')).toBe(':Y2Fm6Q==:')
    expect(build(get('/', [['X', '\u2603']]), '"x";bs')).toMatchObject({ code: 'coverage-absent' })
    const three: Lines = ['a', 'b', '\u2603'].map(value => ['X', value])
    expect(build(get('/', three), '"x";bs')).toMatchObject({ code: 'coverage-absent' })
    expect(readValue(get('/', three.slice(0, 2).concat([['x', 'c']])), '"x";bs')).toBe(':YQ==:, :Yg==:, :Yw==:')
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

  test('@scheme is how the request arrived', () => {
    expect(readValue(get('/'), '"@scheme"')).toBe('https')
    expect(readValue({ ...get('/'), https: false }, '"@scheme"')).toBe('http')
    expect(readValue(get('http://www.example.com/'), '"@scheme"')).toBe('http')
  })

  test.each(['/path?param=value', 'https://www.example.com/path?param=value', '*', 'www.example.com:80'])(
    '@request-target %s is as it was sent',
    target => {
      expect(readValue(get(target), '"@request-target"')).toBe(target)
    }
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
    '/path#fragment',
    'https://www.example.com/path#fragment',
    'https://www.example.com?query#fragment',
    'https://other.example/',
    'https://user@www.example.com/',
    'https://www.example.com:8443/',
    'ftp://www.example.com/',
    'path'
  ])('nothing is made of %s, whatever Host is', target => {
    for (const headers of [[['Host', 'www.example.com']], [], [['Host', 'two hosts']]] as Lines[]) {
      for (const name of ['@target-uri', '@authority', '@scheme', '@path', '@query']) {
        expect(build(get(target, headers), `"${name}"`)).toMatchObject({
          code: 'coverage-absent',
          evidence: { absent: [name] }
        })
      }
    }
  })

  test('a target that is not ASCII cannot be signed', () => {
    for (const name of ['@target-uri', '@path', '@request-target']) {
      expect(build(get('/caf\xe9'), `"${name}"`)).toMatchObject({ code: 'coverage-absent' })
    }
  })

  test.each([
    [[]],
    [[['Host', '']]],
    [
      [
        ['Host', 'www.example.com'],
        ['Host', 'www.example.com']
      ]
    ],
    // a Kelvin sign, which is a k in lower case
    [[['Host', '\u212a.example']]],
    [[['Host', 'www example']]],
    [[['Host', 'www.example.com/x']]],
    [[['Host', 'user@www.example.com']]]
  ] as Lines[][])('there is a path, but no authority, when Host is %j', headers => {
    expect(readValue(get('/x?y', headers), '"@path"')).toBe('/x')
    for (const name of ['@authority', '@target-uri']) {
      expect(build(get('/x?y', headers), `"${name}"`)).toMatchObject({ code: 'coverage-absent' })
    }
    for (const name of ['@authority', '@path']) {
      expect(build(get('https://www.example.com/', headers), `"${name}"`)).toMatchObject({ code: 'coverage-absent' })
    }
  })
})

describe('query parameters, section 2.2.8', () => {
  const readParam = (query: string, name: string) => readValue(get(`/path?${query}`), `"@query-param";name="${name}"`)

  test('match the examples of the section', () => {
    const simple = 'param=value&foo=bar&baz=batman&qux='
    expect(readParam(simple, 'baz')).toBe('batman')
    expect(readParam(simple, 'qux')).toBe('')
    expect(readParam(simple, 'param')).toBe('value')
    const hard = 'var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something'
    expect(readParam(hard, 'var')).toBe('this%20is%20a%20big%0Amultiline%20value')
    expect(readParam(hard, 'bar')).toBe('with%20plus%20whitespace')
    expect(readParam(hard, 'fa%C3%A7ade%22%3A%20')).toBe('something')
  })

  test.each([
    ["a=!'()~*-._", 'a', '%21%27%28%29%7E*-._'],
    ['a=%7e%41', 'a', '%7EA'],
    ['a%2Db=1', 'a-b', '1'],
    ['a', 'a', ''],
    ['?a=1', '%3Fa', '1'],
    ['__proto__=1', '__proto__', '1'],
    ['=1', '', '1'],
    ['a=1%', 'a', '1%25']
  ])('?%s: %s is %s', (query, name, value) => expect(readParam(query, name)).toBe(value))

  test('are not signed when the query is not UTF-8: %FE and %FF would have the same signed form', () => {
    for (const query of ['a=%FF', 'a=1&b=%FE', '%C3=1&a=1']) {
      expect(build(get(`/path?${query}`), '"@query-param";name="a"')).toMatchObject({ code: 'coverage-absent' })
    }
  })

  test('are not signed when there is none of the name, or more than one, in any spelling', () => {
    for (const target of ['/path', '/path?', '/path?b=1', '/path?a=1&a=1', '/path?a=1&%61=2', '/path?A=1']) {
      expect(build(get(target), '"@query-param";name="a"')).toMatchObject({
        code: 'coverage-absent',
        evidence: { absent: ['@query-param;name="a"'] }
      })
    }
    expect(build(get('/path?a-b=1'), '"@query-param";name="a%2Db"')).toMatchObject({ code: 'coverage-absent' })
  })
})

describe('a component that no request has is refused, not skipped', () => {
  test.each([
    ['"@status"', 'a request has no @status'],
    ['"@signature-params"', '@signature-params cannot be listed'],
    ['"@method";req', 'req is for the signature of a response'],
    ['"date";req', 'req is for the signature of a response'],
    ['"x";tr', 'trailers are not supported'],
    ['"@unknown"', 'there is no such derived component'],
    ['"@METHOD"', 'there is no such derived component'],
    ['"@"', 'there is no such derived component'],
    ['"@method";sf', 'this derived component takes no parameters'],
    ['"@path";name="a"', 'this derived component takes no parameters'],
    ['"@query-param"', '@query-param must have the parameter name and no other'],
    ['"@query-param";name', '@query-param must have the parameter name and no other'],
    ['"@query-param";name=a', '@query-param must have the parameter name and no other'],
    ['"@query-param";name="a";sf', '@query-param must have the parameter name and no other'],
    ['"Date"', 'a field name must be a token in lower case'],
    ['""', 'a field name must be a token in lower case'],
    ['"a b"', 'a field name must be a token in lower case'],
    ['"(request-target)"', 'a field name must be a token in lower case'],
    ['"x";unknown', 'the parameters of a field must be sf, bs, or key with a string'],
    ['"x";sf=?0', 'the parameters of a field must be sf, bs, or key with a string'],
    ['"x";bs=1', 'the parameters of a field must be sf, bs, or key with a string'],
    ['"x";key', 'the parameters of a field must be sf, bs, or key with a string'],
    ['"x";key=a', 'the parameters of a field must be sf, bs, or key with a string'],
    ['"x";name="a"', 'the parameters of a field must be sf, bs, or key with a string'],
    ['"x";bs;sf', 'bs must not be used with sf or key'],
    ['"x";key="a";bs', 'bs must not be used with sf or key']
  ])('%s: %s', (component, reason) => {
    expect(build(get('/', [['X', 'a']]), `"@path" ${component}`)).toMatchObject({
      code: 'signature-malformed',
      evidence: { position: 9, reason }
    })
  })
})

describe('a component that is listed twice is refused', () => {
  test.each([
    ['"@path" "@path"', ['@path']],
    ['"x" "y" "x"', ['x']],
    ['"x";sf "x";sf', ['x;sf']],
    ['"x";sf;key="a" "x";key="a";sf', ['x;key="a";sf']],
    ['"@query-param";name="a" "@query-param";name="a"', ['@query-param;name="a"']]
  ])('%s', (components, repeated) => {
    expect(build(get('/?a=1'), components)).toMatchObject({ code: 'coverage-repeated', evidence: { repeated } })
  })

  test('but not when its parameters say something else', () => {
    const request = get('/?a=1&b=2', [['X', 'a=1, b=2']])
    const components = '"x" "x";sf "x";bs "x";key="a" "x";key="b" "@query-param";name="a" "@query-param";name="b"'
    expect(linesOf(request, components)).toHaveLength(7)
  })
})
