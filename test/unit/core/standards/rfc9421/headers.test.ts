import { describe, expect, test } from 'vitest'
import { matchesDigest } from '../../../../../src/index.ts'
import { parseContentDigest, parseSignatureInput, parseSignatures } from '../../../../../src/rfc9421/index.ts'

const TOO_LONG = 'it has more than 1536 characters or 104 commas, semicolons and spaces'
const ONLY_BYTES = 'a byte sequence is expected, and nothing else'
const WITH_ALL =
  'sig1=("@method" "@query-param";name="id" "x";key="a";sf);created=1618884473;expires=1618884540;keyid="k";alg="ed25519";nonce="n";tag="t";mine'

const malformed = (position: number, reason: string) => ({
  ok: false,
  code: 'signature-malformed',
  evidence: { position, reason }
})
const twice = (parameter: string) => ({ ok: false, code: 'signature-parameter-repeated', evidence: { parameter } })

describe('Signature-Input', () => {
  test('returns what is covered, the parameters, and the text that is signed', () => {
    const times = { created: 1618884473, expires: 1618884540 }
    const params = { keyId: 'k', algorithm: 'ed25519', nonce: 'n', tag: 't', ...times }
    const signatureParams = WITH_ALL.slice('sig1='.length)
    const component = (identifier: string, name: string, ...parameters: [string, unknown][]) => {
      return { name, parameters: new Map(parameters), identifier, covered: identifier.replace(/"([@\w-]+)"/, '$1') }
    }
    const components = [
      component('"@method"', '@method'),
      component('"@query-param";name="id"', '@query-param', ['name', 'id']),
      component('"x";key="a";sf', 'x', ['key', 'a'], ['sf', true])
    ]
    const value = [{ label: 'sig1', signatureParams, components, ...params }]
    expect(parseSignatureInput(WITH_ALL)).toMatchObject({ ok: true, value })
  })

  test('re-serializes text that may be written in more than one way', () => {
    const inputs = parseSignatureInput(' \ta=(  "x"  "y"; sf=?1 );created=1; keyid="\\"k\\\\" \t,\tb=() ')
    const all =
      inputs.ok && inputs.value.map(({ signatureParams, keyId, created }) => [signatureParams, keyId, created])
    expect(all).toEqual([
      ['("x" "y";sf);created=1;keyid="\\"k\\\\"', '"k\\', 1],
      ['()', undefined, undefined]
    ])
  })

  test.each([
    ['', 0, 'there is no signature in it'],
    ['  ', 0, 'there is no signature in it'],
    ['sig1', 0, 'a list of components is expected'],
    ['sig1=1', 0, 'a list of components is expected'],
    ['a=(), b="x"', 6, 'a list of components is expected'],
    ['sig1=(date)', 0, 'the name of a component must be a string'],
    ['sig1=(1)', 0, 'the name of a component must be a string'],
    [`sig1=(${'"x" '.repeat(101)})`, 0, 'there are more than 100 components'],
    [`sig1=(${'"x" '.repeat(105)})`, 0, TOO_LONG],
    ['sig1=();keyid=k', 0, 'keyid is not of type string'],
    ['sig1=();alg', 0, 'alg is not of type string'],
    ['sig1=();nonce=1', 0, 'nonce is not of type string'],
    ['sig1=();tag=:AA==:', 0, 'tag is not of type string'],
    ['sig1=();created="1"', 0, 'created is not of type integer'],
    ['sig1=();created=1.5', 0, 'created is not of type integer'],
    ['sig1=();created', 0, 'created is not of type integer'],
    ['sig1=();expires=@1', 0, 'expires is not of type integer'],
    ['sig1=(', 6, 'Could not find end of inner list'],
    ['sig1=("x"', 9, 'Expected a whitespace or ) after every item in an inner list'],
    ['sig1=("x""y")', 9, 'Expected a whitespace or ) after every item in an inner list'],
    ['sig1=("x"),', 11, 'Dictionary contained a trailing comma'],
    ['Sig1=()', 0, 'A key must begin with an asterisk or letter (a-z)'],
    ['sig1=()x', 7, 'Expected ,'],
    ['sig1=();created=1234567890123456', 32, 'Exceeded maximum integer length'],
    ['sig1=("caf\xe9")', 11, 'Strings must be in the ASCII range'],
    [`sig1=("${'x'.repeat(1536 - 8)}")`, 0, TOO_LONG],
    [Array.from({ length: 106 }, (_, i) => `k${i}=()`).join(), 0, TOO_LONG]
  ])('%s is malformed', (value, position, reason) => {
    expect(parseSignatureInput(value)).toMatchObject(malformed(position, reason))
  })

  test.each([
    ['a=(), a=()', 'a'],
    ['a=();keyid="x", b=(), a=()', 'a'],
    ['a=();created=1;created=2', 'created'],
    ['a=();created=1; created=1', 'created'],
    ['a=();keyid="x,y;z";alg="b";keyid="c"', 'keyid'],
    ['a=("x";sf;sf)', 'sf'],
    ['a=("x";key="a";key="b")', 'key'],
    ['a=();x=%"a;b";x=1', 'x'],
    ['a=();x="\\";b";x=1', 'x'],
    ['a=();mine=1;mine=2', 'mine']
  ])('%s has %s twice', (value, parameter) => {
    expect(parseSignatureInput(value)).toMatchObject(twice(parameter))
  })

  test.each([
    'a=("x";sf "y";sf);sf, b=("x";sf);sf',
    'a=();created=1;expires=1, created=();created=1',
    'a=();x=";created=1;created=2";created=1',
    'a=();x=%"a=(), a";y=1',
    'a=("sf";sf "key";key="sf";sf)'
  ])('%s repeats nothing', value => expect(parseSignatureInput(value).ok).toBe(true))
})

describe('Signature', () => {
  test('returns the signatures by label', () => {
    const value = new Map(Object.entries({ a: Uint8Array.of(0, 1, 2), b: Uint8Array.of(0), c: new Uint8Array(0) }))
    expect(parseSignatures(' a=:AAEC: ,\tb=:AA==:, c=:: ')).toEqual({ ok: true, value })
    expect(parseSignatures('')).toEqual({ ok: true, value: new Map() })
  })

  test.each([
    ['a', 0, ONLY_BYTES],
    ['a=:AA==:, b="AA=="', 10, ONLY_BYTES],
    ['a=:AA==:;x', 0, ONLY_BYTES],
    ['a=:AA==:,', 0, ONLY_BYTES],
    ['a=:AA==: b=:AA==:', 0, ONLY_BYTES],
    ['A=:AA==:', 0, ONLY_BYTES],
    ['a=(:AA==:)', 0, ONLY_BYTES],
    ['a=:AA==', 0, ONLY_BYTES],
    ['a=:A A=:', 0, ONLY_BYTES],
    ['a=:AA-_:', 0, ONLY_BYTES],
    ['keyId="k",signature="AA=="', 0, ONLY_BYTES],
    [`a=:${'A'.repeat(4093)}:`, 0, 'it has more than 4096 characters'],
    [`a=::${',a=::'.repeat(32)}`, 160, 'it has more than 32 members']
  ])('%s is malformed', (value, position, reason) => {
    expect(parseSignatures(value)).toMatchObject(malformed(position, reason))
  })

  test('accepts as many as any sender has', () => {
    expect(parseSignatures(Array.from({ length: 32 }, (_, i) => `k${i}=::`).join()).ok).toBe(true)
    expect(parseSignatures(`a=:${'A'.repeat(4092)}:`).ok).toBe(true)
  })

  test.each(['a=:AA:', 'a=:AB==:', 'a=:AAF=:', 'b=:AA==:, a=:AB==:'])('%s is not canonical base64', value => {
    expect(parseSignatures(value)).toMatchObject({ ok: false, code: 'signature-not-base64' })
  })

  test.each(['a=:AA==:, a=:AA==:', 'a=:AA==:,b=:AA==:,a=:AB==:'])('%s has a label twice', value => {
    expect(parseSignatures(value)).toMatchObject(twice('a'))
  })
})

describe('Content-Digest', () => {
  const SHA_256 = 'RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg='

  /** RFC 9530 appendix B: the examples' content, which ends in a line feed. */
  const body = Buffer.from('{"hello": "world"}\n')

  test('keeps unknown algorithms, but none counts', () => {
    const digests = parseContentDigest(' md5=:AAE=:,\tadler=:: ')
    expect(digests).toEqual({
      ok: true,
      value: [
        { algorithm: 'md5', value: Uint8Array.of(0, 1) },
        { algorithm: 'adler', value: new Uint8Array(0) }
      ]
    })
    expect(digests.ok && matchesDigest(digests.value, body)).toBe(false)
    expect(parseContentDigest('')).toEqual({ ok: true, value: [] })
  })

  test.each([
    ['SHA-256=AAAA', ONLY_BYTES],
    [`sha-256=${SHA_256}`, ONLY_BYTES],
    [`sha-256="${SHA_256}"`, ONLY_BYTES],
    [`sha-256=:${SHA_256}:;x=1`, ONLY_BYTES],
    [`sha-256=:${SHA_256}:,`, ONLY_BYTES],
    [`sha-256=:${SHA_256}:, sha-256=:${SHA_256}:`, 'an algorithm is listed twice'],
    [`sha-256=:${SHA_256.slice(0, -1)}:`, 'a digest is not canonical base64'],
    [`sha-256=:${SHA_256.replace('g=', 'h=')}:`, 'a digest is not canonical base64'],
    ['sha-256=:AAAA:', 'a sha-256 digest has the wrong length'],
    [`sha-512=:${SHA_256}:`, 'a sha-512 digest has the wrong length'],
    ['sha-256=::', 'a sha-256 digest has the wrong length'],
    [`x=:${'A'.repeat(4096)}:`, 'it has more than 4096 characters']
  ])('%s is malformed', (value, reason) => {
    const evidence = { received: value, reason }
    expect(parseContentDigest(value)).toMatchObject({ ok: false, code: 'digest-malformed', evidence })
  })
})
