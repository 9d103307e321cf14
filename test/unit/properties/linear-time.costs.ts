import { expect, test } from 'vitest'
import { normalizeName } from '../../../src/core/http/uri.ts'
import { looksLikeKeyRecord } from '../../../src/core/key/record.ts'
import {
  buildSigningString,
  createVerifier,
  diagnose,
  matchesDigest,
  parseDigestHeader,
  parseHttpDate,
  parseKeyRecord,
  parseSignatureHeader
} from '../../../src/index.ts'
import { leastOf, leastTime } from '../../support/cpu-time.ts'
import * as rfc9421 from '../../support/rfc9421.ts'
import { linesOf, service, withHeaders, withSignature } from '../../support/service.ts'

const ofLength = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))

/** These have made parsers slow before: each is repeated until the text has the wanted length. */
const PIECES = [
  ...',\t\xa0"\\;:.=a7 ',
  '\\"',
  'AA==',
  'a.',
  'a ',
  ' , ',
  'a=,',
  'a="",',
  'a="b" , ',
  'a="b,',
  'a=1,',
  'keyId="a",',
  '(created) ',
  'a=b;',
  'v=DKIM1; p=AAAA; ',
  '\r\n ',
  'md5=AAAA,',
  '("a" ',
  '(',
  ':AAAA:',
  '%"',
  '&a=1',
  '%41',
  'SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=,',
  'Fri, 20 Nov 2026 12:00:00 GMT ',
  'account-'
]

/** A run of these stands between two letters, where a search for the end of the text starts again at each. */
const INNER_RUNS = [' ', '\t', '\xa0', '\r\n ', '=', ',']

const TEXTS: Readonly<Record<string, (length: number) => string>> = Object.fromEntries([
  ...PIECES.map(piece => [JSON.stringify(piece), (length: number) => ofLength(piece, length)]),
  ...INNER_RUNS.map(piece => [
    `${JSON.stringify(piece)} inside`,
    (length: number) => `a${ofLength(piece, length - 2)}a`
  ])
])

const verify = createVerifier(service.options)
const signed = service.sign({ method: 'POST', body: '{}' })
const lines = linesOf(signed)
const inHeader = (name: string) => (text: string) => verify(withHeaders(signed, { [name]: text }))

const rfc9421Verify = createVerifier(rfc9421.OPTIONS)
const { input } = rfc9421.signature()
const inRfc9421 = (name: string, write: (text: string) => string, signed = rfc9421.signed()) => {
  return (text: string) => rfc9421Verify(withHeaders(signed, { [name]: write(text) }))
}
/** Makes 90 components of this kind, each with a name of its own. */
const ninety = (identifier: (name: string) => string) =>
  Object.fromEntries(Array.from({ length: 90 }, (_, i) => [identifier(`"k${i}"`), '']))
const inEveryForm = rfc9421.signed({
  lines: { '"x"': '', '"x";sf': '', '"x";bs': '', ...ninety(name => `"x";key=${name}`) },
  headers: { X: '' }
})
const queryInEveryForm = rfc9421.signed({
  lines: { '"@query"': '', '"@target-uri"': '', ...ninety(name => `"@query-param";name=${name}`) }
})

const TARGETS: Readonly<Record<string, (text: string) => unknown>> = {
  parseSignatureHeader: parseSignatureHeader,
  'parseSignatureHeader after keyId': text => parseSignatureHeader(`keyId="a",${text}`),
  'parseSignatureHeader in keyId': text => parseSignatureHeader(`keyId="${text}",signature="eA=="`),
  'parseSignatureHeader in headers': text => parseSignatureHeader(`keyId="a",headers="${text}",signature="eA=="`),
  'parseSignatureHeader in signature': text => parseSignatureHeader(`keyId="a",signature="${text}"`),
  'parseSignatureHeader in an unknown parameter': text =>
    parseSignatureHeader(`x="${text}",keyId="a",signature="eA=="`),
  'parseSignatureHeader in created': text => parseSignatureHeader(`created=${text},keyId="a",signature="eA=="`),
  parseDigestHeader,
  'parseDigestHeader in a digest': text => parseDigestHeader(`SHA-256=${text}`),
  matchesDigest: text =>
    matchesDigest([{ algorithm: 'sha-256', value: new Uint8Array(32) }], Buffer.from(text, 'latin1')),
  parseHttpDate,
  normalizeName,
  'buildSigningString of a value': text =>
    buildSigningString({ method: 'GET', target: '/', headers: { a: text } }, ['a']),
  'buildSigningString of the target': text =>
    buildSigningString({ method: 'GET', target: text, headers: {} }, ['(request-target)']),
  'buildSigningString of a name': text =>
    buildSigningString({ method: 'GET', target: '/', headers: { [text]: 'a' } }, ['a']),
  'verify, Signature': inHeader('Signature'),
  'verify, Date': inHeader('Date'),
  'verify, Digest': inHeader('Digest'),
  'verify, Host': inHeader('Host'),
  'verify, X-Service-ID': inHeader('X-Service-ID'),
  'verify, a covered header': inHeader('X-Nonce'),
  'verify, method': text => verify({ ...signed, method: text }),
  'verify, target': text => verify({ ...signed, target: text }),
  'verify, a header name': text => verify({ ...signed, headers: [...lines, [text, 'a'] as const] }),
  'verify, Signature in keyId': text => inHeader('Signature')(`keyId="${text}",signature="eA=="`),
  'verify, Signature in headers': text => inHeader('Signature')(`keyId="a",headers="${text}",signature="eA=="`),
  'verify, Signature-Input': inRfc9421('Signature-Input', text => `${input},${text}`),
  'verify, Signature of RFC 9421': inRfc9421('Signature', text => `sig1=${text}`),
  'verify, Content-Digest': inRfc9421('Content-Digest', text => `sha-256=${text}`),
  'verify, a field that is covered in every form': inRfc9421('X', text => text, inEveryForm),
  'verify, a query that is covered in every form': text => rfc9421Verify({ ...queryInEveryForm, target: `/?${text}` })
}

/** Parses text from DNS: a record has at most 65535 octets (RFC 1035 section 3.2.1). */
const RECORD_TARGETS: Readonly<Record<string, (text: string) => unknown>> = {
  parseKeyRecord,
  'parseKeyRecord in p=': text => parseKeyRecord(`v=DKIM1; p=${text}`),
  'parseKeyRecord in h=': text => parseKeyRecord(`v=DKIM1; h=sha256:${text}; p=AAAA`),
  'parseKeyRecord in chunks': text => parseKeyRecord(text.match(/.{1,255}/gs) ?? []),
  looksLikeKeyRecord
}

const KB = 1024
const CASES = [
  ...Object.entries(TARGETS).map(([name, run]) => ({ name, run, small: 16 * KB, large: 1024 * KB })),
  ...Object.entries(RECORD_TARGETS).map(([name, run]) => ({ name, run, small: KB, large: 64 * KB }))
]

/**
 * 64 times the text is six doublings, and each may cost 2.3 times as much: more than twice since a longer text leaves
 * the processor's caches. A quadratic parser takes 4096 times as long.
 */
const MOST_GROWTH = 2.3 ** 6

/** Below this, the timer's resolution and garbage collection weigh more than the parser. */
const LEAST_MILLISECONDS = 0.05

test.each(CASES)('$name: each doubling of the text costs at most 2.3 times the time', async ({ run, small, large }) => {
  const slow: Record<string, number> = {}
  for (const [name, text] of Object.entries(TEXTS)) {
    const [short, long] = [text(small), text(large)]
    const growth = await leastOf(async attempt => {
      const base = await leastTime(() => run(short), 3 + 5 * attempt)
      return (await leastTime(() => run(long), 1 + 2 * attempt)) / Math.max(base, LEAST_MILLISECONDS)
    }, MOST_GROWTH)
    if (growth >= MOST_GROWTH) slow[name] = growth
  }
  expect(slow).toEqual({})
})

/** Adds this many lines to a request, each with a new name, so that no remembered layout fits. */
const HEADER_LINES: Readonly<Record<string, (count: number, salt: number) => [string, string][]>> = {
  'of different names': (count, salt) => Array.from({ length: count }, (_, i) => [`x-${salt}-${i}`, 'a']),
  'of one name': (count, salt) => Array.from({ length: count }, () => [`x-${salt}`, 'a'])
}

test.each(Object.entries(HEADER_LINES))(
  'header lines %s cost time in proportion to their length, and only as many are read as are accepted',
  async (_, make) => {
    const costOf = (count: number) => {
      const salts = Array.from({ length: 20 }, (_, salt) => salt)
      const requests = salts.map(salt => ({ ...signed, headers: [...lines, ...make(count, salt)] }))
      const verifyAll = async () => {
        for (const request of requests) await verify(request)
      }
      return (attempt: number) => leastTime(verifyAll, 5 + 5 * attempt)
    }
    const [few, many, tooMany] = [costOf(60), costOf(480), costOf(10_000)]
    expect(await leastOf(async attempt => (await many(attempt)) / (await few(attempt)), 10)).toBeLessThan(10)
    expect(await leastOf(async attempt => (await tooMany(attempt)) / (await many(attempt)), 2)).toBeLessThan(2)
  }
)

/** Uses the signature of a captured request, or a forged one that makes each attempt a whole verification. */
const SIGNATURES = {
  'of the service': (value: string) => value,
  'by hs2019': (value: string) => value.replace('rsa-sha256', 'hs2019')
}

test.each(Object.entries(SIGNATURES))(
  'the cause of a signature %s that does not verify is found within 5 ms, whatever the target',
  async (_, resign) => {
    const allowing = createVerifier({ ...service.options, algorithms: ['rsa-sha256', 'hs2019'] })
    const resigned = withSignature(signed, resign)
    const slow: Record<string, number> = {}
    for (const [name, text] of Object.entries(TEXTS)) {
      const verdict = await allowing({ ...resigned, target: `/${text(7900)}` })
      const least = await leastOf(() => leastTime(() => diagnose(verdict), 1), 5, 30)
      if (least >= 5) slow[name] = least
    }
    expect(slow).toEqual({})
  }
)
