import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ONE } from '../../../fixtures/source/keys.ts'
import {
  createVerifier,
  diagnose,
  draftCavage,
  type ReceivedRequest,
  type VerifierOptions
} from '../../../src/index.ts'
import { failing } from '../../support/failing.ts'
import { contentDigest, signed as signRfc9421, OPTIONS as WITH_RFC9421 } from '../../support/rfc9421.ts'
import { BODY, base64, COVERED, DIGEST, KEY_ID, NOW, RECEIVER, requestOf, type Sender } from '../../support/senders.ts'
import { withHeaders } from '../../support/service.ts'

type Sent = Sender | { readonly request: ReceivedRequest; readonly options?: Partial<VerifierOptions> }

/** What a sender does, the first code, what its cause and its fix must say, and evidence where programs need it. */
type Row = readonly [name: string, sent: Sent, code: string, cause: RegExp, fix: RegExp, evidence?: object]

const verifyOf = async (sent: Sent) =>
  'request' in sent
    ? createVerifier({ ...WITH_RFC9421, ...sent.options })(sent.request)
    : createVerifier(RECEIVER)(requestOf(sent))

const inHeader = (from: string | RegExp, to: string): Sender => ({ header: header => header.replace(from, to) })
const inSignature = (write: (signature: string) => string): Sender => ({
  write: signature => write(signature.toString('base64'))
})
const sends = (headers: NonNullable<Sender['headers']>): Sender => ({ headers })
const signs = (text: NonNullable<Sender['text']>): Sender => ({ text })
const dated = (date: string): Sender => sends({ Date: date })
const digested = (digest: string): Sender => sends({ Digest: digest })
const inRfc9421 = (...recipe: Parameters<typeof signRfc9421>): Sent => ({ request: signRfc9421(...recipe) })
const rfc9421Headers = (headers: Parameters<typeof withHeaders>[1]): Sent => ({
  request: withHeaders(signRfc9421(), headers)
})

const atName = (lookupTxt: VerifierOptions['lookupTxt']): Sent => ({
  request: requestOf(),
  options: { ...RECEIVER, schemes: [draftCavage], lookupTxt: lookupTxt! }
})

const hexadecimal = createHash('sha256').update(BODY).digest('hex')
const SHA256 = base64('sha256', BODY)
const SHA512 = base64('sha512', BODY)
const EXPECTED_DATE = /Sat, 28 Nov 2026 06:10:28 GMT/

test('the request of each situation is verified without the mistake', async () => {
  expect((await createVerifier(RECEIVER)(requestOf())).failures).toEqual([])
  expect((await createVerifier(WITH_RFC9421)(signRfc9421())).failures).toEqual([])
})

describe('what the standards allow is verified', () => {
  test.each<readonly [name: string, sent: Sent]>([
    ['an algorithm without quotes', inHeader('"rsa-sha256"', 'rsa-sha256')],
    ['white space around the equals sign', inHeader('keyId=', 'keyId = ')],
    ['KeyID=', inHeader('keyId=', 'KeyID=')],
    ['a comma at the end', inHeader(/$/, ',')],
    ['a decimal expires', inHeader('headers=', 'expires=1795846526.25,headers=')],
    ['an unknown parameter that is malformed', inHeader('headers=', 'foo,headers=')],
    ['sha-256= in lower case', digested(DIGEST.toLowerCase().slice(0, 8) + DIGEST.slice(8))],
    ['RSA-SHA256 in capitals', { algorithm: 'RSA-SHA256' }],
    ['names of headers in capitals', inHeader('host date', 'Host Date')],
    ['two digests that match', digested(`${DIGEST},SHA-512=${SHA512}`)],
    [
      'a target URI of RFC 9421',
      inRfc9421({
        lines: {
          '"@request-target"': undefined,
          '"@authority"': undefined,
          '"@target-uri"': 'https://receiver.example/hook?id=42'
        }
      })
    ]
  ])('%s', async (_, sent) => {
    expect((await verifyOf(sent)).failures).toEqual([])
  })
})

const ROWS: readonly Row[] = [
  // ---- the target
  ['signs without the query', { called: '/hook?page=2' }, 'signature-mismatch', /without the query.*or/, /Compare/],
  [
    'signs the query without its order',
    { target: '/hook?b=1&a=2', called: '/hook?a=2&b=1' },
    'signature-mismatch',
    /order/,
    /as received/
  ],
  [
    'signs the method in capitals',
    signs(text => text.replace('post', 'POST')),
    'signature-mismatch',
    /^line 1: the sender signed the method in upper case/,
    /lower case/
  ],
  [
    'signs the absolute URL',
    signs(text => text.replace('/hook', 'https://receiver.example/hook')),
    'signature-mismatch',
    /sender.*whole URL/,
    /path and query/
  ],
  [
    'signs the version of HTTP',
    signs(text => text.replace('/hook', '/hook HTTP/1.1')),
    'signature-mismatch',
    /sender.*HTTP\/1\.1/,
    /path and query/
  ],
  [
    'signs without (request-target): ',
    signs(text => text.replace('(request-target): ', '')),
    'signature-mismatch',
    /sender/,
    /\(request-target\)|that name/
  ],
  [
    'signs the host as a URL',
    signs(text => text.replace('host: ', 'host: https://')),
    'signature-mismatch',
    /sender signed Host as a URL/,
    /name alone|as it stands/
  ],
  [
    'signs the host with its usual port',
    signs(text => text.replace('receiver.example', 'receiver.example:443')),
    'signature-mismatch',
    /port/,
    /port|\$http_host/
  ],

  // ---- the signing string
  [
    'signs names as they are written',
    signs(text =>
      text
        .replace('host', 'Host')
        .replace('date', 'Date')
        .replace('digest', 'Digest')
        .replace('x-service-id', 'X-Service-ID')
    ),
    'signature-mismatch',
    /sender.*names of headers/,
    /lower case/
  ],
  [
    'signs without a space',
    signs(text => text.replace(/: /g, ':')),
    'signature-mismatch',
    /sender.*space/,
    /one space/
  ],
  [
    'signs a newline at the end',
    signs(text => `${text}\n`),
    'signature-mismatch',
    /sender.*line break at the end/,
    /leave it out/
  ],
  ['joins by CR LF', signs(text => text.replaceAll('\n', '\r\n')), 'signature-mismatch', /sender.*CR LF/, /LF alone/],
  [
    'joins by \\n in single quotes',
    signs(text => text.replaceAll('\n', '\\n')),
    'signature-mismatch',
    /sender.*backslash/,
    /one character|LF/
  ],
  ['joins by nothing', signs(text => text.replaceAll('\n', '')), 'signature-mismatch', /sender/, /LF/],
  ['joins by spaces', signs(text => text.replaceAll('\n', ' ')), 'signature-mismatch', /sender/, /LF/],
  [
    'signs the lines in the order of the alphabet',
    signs(text => text.split('\n').sort().join('\n')),
    'signature-mismatch',
    /sender.*order/,
    /headers/
  ],
  [
    'signs the lines in the order of a map',
    signs(text => [2, 0, 4, 1, 3].map(at => text.split('\n')[at]).join('\n')),
    'signature-mismatch',
    /sender.*order/,
    /headers/
  ],
  [
    'signs the values alone',
    signs(text => text.replace(/^[^:]+: /gm, '')),
    'signature-mismatch',
    /sender.*values/,
    /name/
  ],
  [
    'lists a line that it does not sign',
    signs(text => text.replace(/\nx-service-id.*/, '')),
    'signature-mismatch',
    /sender.*x-service-id/,
    /headers/
  ],
  [
    'signs the hash of the string',
    signs(text => createHash('sha256').update(text).digest()),
    'signature-mismatch',
    /sender.*twice/,
    /once|itself/
  ],
  [
    'signs the hash of the string in hexadecimal',
    signs(text => createHash('sha256').update(text).digest('hex')),
    'signature-mismatch',
    /sender.*twice/,
    /once|itself/
  ],
  [
    'signs the hash of the string in base64',
    signs(text => base64('sha256', text)),
    'signature-mismatch',
    /sender.*twice/,
    /once|itself/
  ],
  [
    'signs another Date',
    { signedHeaders: { Date: 'Sat, 28 Nov 2026 06:10:27 GMT' } },
    'signature-mismatch',
    /sender.*time/,
    /once/
  ],
  [
    'signs sha-256= and sends SHA-256=',
    { signedHeaders: { Digest: `sha-256=${SHA256}` } },
    'signature-mismatch',
    /sender.*Digest.*case|case/,
    /same/
  ],
  [
    'signs another Content-Type than its client sends',
    {
      covered: ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'content-type'],
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      signedHeaders: { 'Content-Type': 'application/json' }
    },
    'signature-mismatch',
    /Content-Type/,
    /Content-Type/
  ],

  // ---- the hash of the signature, and its form
  ['SHA-512 under rsa-sha256', { hash: 'sha512' }, 'signature-mismatch', /published key made it.*SHA-512/, /SHA-256/],
  ['SHA-384 under rsa-sha256', { hash: 'sha384' }, 'signature-mismatch', /published key made it.*SHA-384/, /SHA-256/],
  ['SHA-1 under rsa-sha256', { hash: 'sha1' }, 'signature-mismatch', /published key made it.*SHA-1/, /SHA-256/],
  [
    'hexadecimal',
    { write: bytes => bytes.toString('hex') },
    'signature-mismatch',
    /hexadecimal.*published key/,
    /base64/
  ],
  [
    'base64url',
    inSignature(text => text.replaceAll('+', '-').replaceAll('/', '_')),
    'signature-not-base64',
    /base64url/,
    /\+ and \//,
    { form: 'base64url' }
  ],
  [
    'base64url without padding',
    { write: bytes => bytes.toString('base64url') },
    'signature-not-base64',
    /base64url/,
    /padding/,
    { form: 'base64url' }
  ],
  [
    'no padding',
    inSignature(text => text.replace(/=+$/, '')),
    'signature-not-base64',
    /padding/,
    /padding/,
    { form: 'without-padding' }
  ],
  [
    'lines of 76, folded',
    inSignature(text => text.replace(/.{76}/g, '$& ')),
    'signature-not-base64',
    /in lines/,
    /one line/,
    { form: 'lines' }
  ],
  [
    'lines of 64, folded',
    inSignature(text => text.replace(/.{64}/g, '$& ')),
    'signature-not-base64',
    /in lines/,
    /one line/,
    { form: 'lines' }
  ],
  [
    'lines of 76, written as \\n',
    inSignature(text => text.replace(/.{76}/g, '$&\\n')),
    'signature-not-base64',
    /in lines/,
    /one line/,
    { form: 'lines' }
  ],
  [
    'percent-encoding',
    inSignature(encodeURIComponent),
    'signature-not-base64',
    /percent/,
    /without escapes|decode/,
    { form: 'percent-encoded' }
  ],
  [
    '+ became a space',
    inSignature(text => text.replaceAll('+', ' ')),
    'signature-not-base64',
    /\+.*space/,
    /URL|form/,
    { form: 'plus-as-space' }
  ],
  [
    'hexadecimal with colons',
    { write: bytes => bytes.toString('hex').match(/../g)!.join(':') },
    'signature-not-base64',
    /hexadecimal/,
    /base64/,
    { form: 'hexadecimal' }
  ],
  [
    "b'...' of Python",
    inSignature(text => `b'${text}'`),
    'signature-not-base64',
    /Python/,
    /decode/,
    { form: 'python-bytes' }
  ],
  [
    '= as \\u003d of a JSON library',
    inSignature(text => text.replaceAll('=', '\\u003d')),
    'signature-not-base64',
    /JSON/,
    /=/,
    { form: 'json-escapes' }
  ],
  [
    'line breaks in the value',
    inSignature(text => text.replace(/.{76}/g, '$&\n')),
    'request-malformed',
    /base64.*lines/,
    /one line/
  ],

  // ---- the Signature header
  [
    'a quote that is missing at the end of headers',
    inHeader('digest",', 'digest,'),
    'signature-malformed',
    /quote of headers is missing/,
    /headers="/,
    { position: 70, reason: 'the closing quote is missing' }
  ],
  [
    'a quote that is missing at the end',
    inHeader(/"$/, ''),
    'signature-malformed',
    /quote of signature is missing/,
    /signature="/,
    { reason: 'the closing quote is missing' }
  ],
  ['a quote that is missing at the start', inHeader('keyId="', 'keyId='), 'signature-malformed', /quote/, /keyId="/],
  [
    'the scheme of Authorization in front',
    inHeader(/^/, 'Signature '),
    'signature-malformed',
    /scheme of Authorization/,
    /leave the word/
  ],
  ['single quotes', inHeader(/"/g, "'"), 'signature-malformed', /single quotes/, /"/],
  ['typographic quotes', inHeader(/"/g, '\x93'), 'signature-malformed', /quotes/, /"/],
  ['semicolons', inHeader(/,/g, ';'), 'signature-malformed', /semicolon/, /comma/],
  [
    'JSON',
    { header: () => JSON.stringify({ keyId: KEY_ID, algorithm: 'rsa-sha256', signature: 'AA==' }) },
    'signature-malformed',
    /JSON/,
    /keyId="/
  ],
  ['quotes with backslashes', inHeader(/"/g, '\\"'), 'signature-malformed', /backslash/, /"/],
  ['percent-encoded as a whole', { header: encodeURIComponent }, 'signature-malformed', /percent/, /keyId="/],
  [
    'commas in headers',
    inHeader(/(?<=headers=".*) (?=.*",s)/g, ', '),
    'signature-malformed',
    /headers.*comma|comma.*headers/,
    /one space/
  ],
  [
    '(created) without created=',
    { covered: ['(created)', '(request-target)', 'host', 'date', 'x-service-id', 'digest'] },
    'signature-parameter-missing',
    /sender.*\(created\)/,
    /add created=.*or take/
  ],
  ['key_id=', inHeader('keyId=', 'key_id='), 'signature-parameter-missing', /keyId/, /keyId="/],
  [
    'a parameter twice',
    inHeader(/$/, `,keyid="${KEY_ID}"`),
    'signature-parameter-repeated',
    /sender.*keyId.*twice/,
    /once/
  ],
  [
    'request-line of an older draft',
    inHeader('(request-target)', 'request-line'),
    'coverage-insufficient',
    /request-line/,
    /\(request-target\)/
  ],
  [
    '(request_target)',
    inHeader('(request-target)', '(request_target)'),
    'signature-malformed',
    /headers/,
    /\(request-target\)/
  ],
  ['created in milliseconds', { times: { created: NOW } }, 'signature-created-out-of-range', /milliseconds/, /seconds/],
  [
    'RS256 of JWT',
    { algorithm: 'RS256' },
    'signature-algorithm-not-allowed',
    /RS256.*rsa-sha256|another name/,
    /rsa-sha256/
  ],
  [
    'SHA256withRSA of Java',
    { algorithm: 'SHA256withRSA' },
    'signature-algorithm-not-allowed',
    /SHA256withRSA.*rsa-sha256|another name/,
    /rsa-sha256/
  ],
  [
    'the selector alone as keyId',
    inHeader(KEY_ID, 'one'),
    'key-name-outside-domain',
    /selector/,
    /one\._domainkey\.service\.example/
  ],
  [
    'a URL as keyId',
    inHeader(KEY_ID, 'https://service.example/actor#main-key'),
    'key-name-malformed',
    /URL/,
    /_domainkey\.service\.example/
  ],

  // ---- Date
  [
    'no weekday, and UTC',
    dated('28 Nov 2026 06:10:28 UTC'),
    'date-malformed',
    /^(?=.*no weekday)(?=.*UTC instead of GMT)/,
    EXPECTED_DATE,
    { reason: 'it has UTC instead of GMT, it has no weekday' }
  ],
  [
    'ISO 8601',
    dated('2026-11-28T06:10:28Z'),
    'date-malformed',
    /ISO 8601/,
    EXPECTED_DATE,
    { reason: 'it is ISO 8601' }
  ],
  [
    'ISO 8601 of Python, without a zone',
    dated('2026-11-28 06:10:28.123456'),
    'date-malformed',
    /ISO 8601/,
    EXPECTED_DATE
  ],
  [
    'an offset',
    dated('Sat, 28 Nov 2026 06:10:28 +0000'),
    'date-malformed',
    /offset/,
    EXPECTED_DATE,
    { reason: 'it has an offset instead of GMT' }
  ],
  ['UTC of Go', dated('Sat, 28 Nov 2026 06:10:28 UTC'), 'date-malformed', /UTC instead of GMT/, EXPECTED_DATE],
  [
    'a day of one digit',
    dated('Sat, 7 Nov 2026 06:10:28 GMT'),
    'date-malformed',
    /one digit/,
    /Sat, 07 Nov 2026/,
    { reason: 'its day has one digit' }
  ],
  [
    'another weekday',
    dated('Mon, 28 Nov 2026 06:10:28 GMT'),
    'date-malformed',
    /weekday/,
    EXPECTED_DATE,
    { reason: 'its weekday is not that of the date' }
  ],
  ['seconds since 1970', dated('1795846228'), 'date-malformed', /seconds since 1970/, EXPECTED_DATE],
  ['milliseconds since 1970', dated('1795846228000'), 'date-malformed', /milliseconds since 1970/, EXPECTED_DATE],
  ['toString() of Java', dated('Sat Nov 28 06:10:28 UTC 2026'), 'date-malformed', /sender/, EXPECTED_DATE],
  [
    'toString() of JavaScript',
    dated('Sat Nov 28 2026 06:10:28 GMT+0000 (Coordinated Universal Time)'),
    'date-malformed',
    /sender/,
    EXPECTED_DATE
  ],
  [
    'DATE_COOKIE of PHP',
    dated('Saturday, 28-Nov-2026 06:10:28 UTC'),
    'date-malformed',
    /UTC instead of GMT/,
    EXPECTED_DATE
  ],
  [
    'an hour of one digit',
    dated('Sat, 28 Nov 2026 6:10:28 GMT'),
    'date-malformed',
    /hour has one digit/,
    EXPECTED_DATE
  ],
  ['another language', dated('man 28 des 2026 06:10:28'), 'date-malformed', /sender/, /Sun, 06 Nov 1994 08:49:37 GMT/],
  ['local time as GMT', dated('Sat, 28 Nov 2026 08:10:28 GMT'), 'date-in-future', /local time/, /UTC/],
  [
    'a clock of twelve hours',
    {
      request: requestOf(dated('Sat, 28 Nov 2026 06:10:28 GMT')),
      options: { ...RECEIVER, schemes: [draftCavage], now: () => NOW + 12 * 3_600_000 }
    },
    'date-too-old',
    /hours/,
    /UTC/
  ],
  [
    'seconds taken for milliseconds',
    dated(new Date(NOW / 1000).toUTCString()),
    'date-too-old',
    /seconds.*milliseconds/,
    /milliseconds/
  ],

  // ---- Digest
  [
    'a good digest and a wrong one',
    digested(`${DIGEST},SHA-512=${base64('sha512', 'x')}`),
    'digest-mismatch',
    /SHA-256 matches.*sender/i,
    /SHA-512/,
    { algorithm: 'sha-512', matching: 'sha-256' }
  ],
  [
    'a wrong digest and a good one',
    digested(`SHA-256=${base64('sha256', 'x')},SHA-512=${SHA512}`),
    'digest-mismatch',
    /SHA-512 matches.*sender/i,
    /SHA-256/,
    { algorithm: 'sha-256', matching: 'sha-512' }
  ],
  ['SHA256=', digested(`SHA256=${SHA256}`), 'digest-unsupported', /spells/, /SHA-256=/],
  ['id-sha-256=', digested(`id-sha-256=${SHA256}`), 'digest-unsupported', /spells/, /RFC 5843/],
  ['bare hexadecimal', digested(hexadecimal), 'digest-malformed', /hexadecimal/, /base64/],
  ['SHA-256= and hexadecimal', digested(`SHA-256=${hexadecimal}`), 'digest-malformed', /hexadecimal/, /base64/],
  [
    'base64 of hexadecimal',
    digested(`SHA-256=${Buffer.from(hexadecimal).toString('base64')}`),
    'digest-malformed',
    /hexadecimal/,
    /bytes/
  ],
  ['bare base64', digested(SHA256), 'digest-malformed', /name of the algorithm/, /SHA-256=/],
  [
    'colons of Content-Digest',
    digested(`sha-256=:${SHA256}:`),
    'digest-malformed',
    /Content-Digest|RFC 9530/,
    /without the colons|SHA-256=/
  ],
  ['in quotes', digested(`SHA-256="${SHA256}"`), 'digest-malformed', /quotes/, /SHA-256=/],
  ["b'...' of Python", digested(`SHA-256=b'${SHA256}'`), 'digest-malformed', /Python.*decode/, /SHA-256=/],
  [
    'base64url',
    digested('SHA-256=-_8LqSlx0E5BYgWdoPc7Pq5UYkNZrXr1bvN0j1vwzYA='),
    'digest-malformed',
    /base64url/,
    /\+ and \//
  ],
  ['no padding', digested(DIGEST.slice(0, -1)), 'digest-malformed', /padding/, /=/],
  [
    'hashes null for a request without a body',
    {
      body: '',
      headers: { 'Content-Length': '0', Digest: `SHA-256=${base64('sha256', 'null')}` },
      covered: [...COVERED, 'content-length']
    },
    'digest-mismatch',
    /was empty when it was signed/,
    /hash of nothing/
  ],
  [
    'hashes other bytes than it sends',
    { headers: { Digest: `SHA-256=${base64('sha256', 'other')}` } },
    'digest-mismatch',
    /or the sender hashed other bytes/,
    /sender hash what it sends/
  ],
  ['MD5', digested(`MD5=${base64('md5', BODY)}`), 'digest-unsupported', /MD5|old/i, /SHA-256/],
  [
    'Content-Digest instead of Digest',
    {
      headers: { Digest: undefined, 'Content-Digest': contentDigest(BODY) },
      covered: ['(request-target)', 'host', 'date', 'x-service-id', 'content-digest']
    },
    'digest-missing',
    /Content-Digest/,
    /Digest: SHA-256=/,
    { similar: 'Content-Digest' }
  ],
  [
    'no Digest, as it signs no body',
    { headers: { Digest: undefined }, covered: ['(request-target)', 'host', 'date', 'x-service-id'] },
    'digest-missing',
    /^the sender/,
    /SHA-256/
  ],

  // ---- on the way
  [
    'GET with Content-Length: 0, which a proxy removes',
    {
      method: 'GET',
      body: '',
      headers: { 'Content-Length': undefined },
      covered: [...COVERED, 'content-length'],
      signedHeaders: { 'Content-Length': '0' }
    },
    'coverage-absent',
    /Content-Length: 0.*no body/,
    /leave content-length out/,
    { isBodyEmpty: true }
  ],
  [
    'Content-Length of a body, which a proxy removes',
    {
      headers: { 'Content-Length': undefined },
      covered: [...COVERED, 'content-length'],
      signedHeaders: { 'Content-Length': '12' }
    },
    'coverage-absent',
    /dropped the body/,
    /with its length/
  ],
  [
    'Date, which a REST API of API Gateway renames',
    { headers: { Date: undefined, 'X-Amzn-Remapped-Date': 'x' }, signedHeaders: { Date: 'x' } },
    'date-missing',
    /API Gateway.*X-Amzn-Remapped-Date/,
    /HTTP API/,
    { renamed: ['X-Amzn-Remapped-Date'] }
  ],
  [
    'another header that API Gateway renames',
    {
      headers: { 'User-Agent': undefined, 'X-Amzn-Remapped-User-Agent': 'x' },
      covered: [...COVERED, 'user-agent'],
      signedHeaders: { 'User-Agent': 'x' }
    },
    'coverage-absent',
    /API Gateway.*X-Amzn-Remapped-User-Agent/,
    /HTTP API/,
    { renamed: ['X-Amzn-Remapped-User-Agent'] }
  ],

  // ---- the key
  [
    'no key at the name',
    atName(failing('ENOTFOUND')),
    'key-not-found',
    /withdrawn|not published/,
    /key one\._domainkey/
  ],
  [
    'an alias to a name without a key',
    atName(async () => []),
    'key-not-found',
    /alias leads to a name without a key/,
    /publish the key at that name/
  ],
  [
    'p=undefined',
    atName(async () => [['v=DKIM1; k=rsa; p=undefined']]),
    'key-unreadable',
    /p= is undefined/,
    /fill in/
  ],
  [
    'PEM lines in p=',
    atName(async () => [[ONE.record.replace('p=', 'p=-----BEGIN PUBLIC KEY-----')]]),
    'key-unreadable',
    /PEM/,
    /between these lines/
  ],
  [
    'a record that was pasted twice',
    atName(async () => [[`v=DKIM1 ${ONE.record}`]]),
    'key-version-unsupported',
    /pasted twice/,
    /once/
  ],
  [
    'the only DNS server is this machine, and refuses',
    atName(Object.assign(failing('ECONNREFUSED'), { servers: () => ['127.0.0.1'] })),
    'key-lookup-failed',
    /^(?=.*Windows)(?=.*c-ares 1\.34\.6).*local resolver/,
    /servers: \['192\.0\.2\.53'\].*dohTxtLookup|--dns-server.*--doh/,
    { servers: ['127.0.0.1'] }
  ],
  [
    'both addresses of this machine, which refuse',
    atName(Object.assign(failing('ECONNREFUSED'), { servers: () => ['127.0.0.1', '::1'] })),
    'key-lookup-failed',
    /Windows/,
    /DNS server/
  ],
  [
    'a DNS server that answers over UDP and refuses TCP',
    atName(Object.assign(failing('ECONNREFUSED'), { servers: () => ['192.0.2.1'] })),
    'key-lookup-failed',
    /answers over UDP and refuses TCP/,
    /key one\._domainkey\.service\.example/
  ],

  // ---- the account
  [
    'account_1234',
    sends({ 'X-Service-ID': 'account_1234' }),
    'account-malformed',
    /another prefix: account_/,
    /accountPrefix: 'account_'|--account-prefix account_/
  ],
  [
    'environment-1234',
    sends({ 'X-Service-ID': 'environment-1234' }),
    'account-malformed',
    /environment-/,
    /accountPrefix: 'environment-'|--account-prefix environment-/
  ],
  ['the id alone', sends({ 'X-Service-ID': '1234' }), 'account-malformed', /without.*prefix|no prefix/, /account-1234/],
  ['in quotes', sends({ 'X-Service-ID': '"account-1234"' }), 'account-malformed', /quotes/, /without/],

  // ---- RFC 9421
  [
    'keyId=',
    rfc9421Headers({ 'Signature-Input': value => value.replace('keyid', 'keyId') }),
    'signature-malformed',
    /keyid/,
    /keyid=/
  ],
  [
    'components without quotes',
    rfc9421Headers({ 'Signature-Input': value => value.replaceAll(/"(?=@)|(?<=@[\w-]+)"/g, '') }),
    'signature-malformed',
    /quotes/,
    /"@method"/
  ],
  [
    'a field in capitals',
    rfc9421Headers({ 'Signature-Input': value => value.replace('"content-digest"', '"Content-Digest"') }),
    'signature-malformed',
    /lower case/,
    /lower case/
  ],
  [
    '(request-target) of the draft',
    rfc9421Headers({ 'Signature-Input': value => value.replace('"@request-target"', '"(request-target)"') }),
    'signature-malformed',
    /draft/,
    /@method.*@(?:target-uri|request-target)/
  ],
  [
    'a signature without its colons',
    rfc9421Headers({ Signature: value => value.replaceAll(':', '') }),
    'signature-malformed',
    /colon/,
    /sig1=:/
  ],
  [
    'rsa-sha256 of the draft',
    inRfc9421({ params: { alg: '"rsa-sha256"' } }),
    'signature-algorithm-not-allowed',
    /another name of rsa-v1_5-sha256/,
    /rsa-v1_5-sha256/
  ],
  [
    'no created',
    inRfc9421({ params: { created: undefined }, lines: { '"date"': undefined } }),
    'date-missing',
    /created/,
    /created=/
  ],
  [
    'created in milliseconds',
    inRfc9421({ params: { created: '1795176000000' } }),
    'signature-created-out-of-range',
    /milliseconds/,
    /seconds/
  ],
  [
    'created in quotes',
    inRfc9421({ params: { created: '"1795176000"' } }),
    'signature-malformed',
    /created/,
    /created=/
  ],
  [
    'Digest instead of Content-Digest',
    inRfc9421({
      lines: { '"content-digest"': undefined, '"digest"': `SHA-256=${SHA256}` },
      headers: { 'Content-Digest': undefined, Digest: `SHA-256=${SHA256}` }
    }),
    'digest-missing',
    /Digest.*draft|draft.*Digest/,
    /Content-Digest: sha-256=:/,
    { header: 'Content-Digest', similar: 'Digest' }
  ],
  [
    'Content-Digest without padding',
    inRfc9421({
      lines: { '"content-digest"': `sha-256=:${SHA256.slice(0, -1)}:` },
      headers: { 'Content-Digest': `sha-256=:${SHA256.slice(0, -1)}:` }
    }),
    'digest-malformed',
    /padding/,
    /sha-256=:BASE64:/,
    { header: 'Content-Digest' }
  ],
  [
    'Content-Digest in the form of Digest',
    inRfc9421({
      lines: { '"content-digest"': `SHA-256=${SHA256}` },
      headers: { 'Content-Digest': `SHA-256=${SHA256}` }
    }),
    'digest-malformed',
    /Digest|draft/,
    /sha-256=:/
  ]
]

describe('a mistake of the sender: the first cause is its own, and the fix has the form that is expected', () => {
  test.each(ROWS.map(row => [`${row[2]}: ${row[0]}`, row] as const))(
    '%s',
    async (_, [, sent, code, cause, fix, evidence]) => {
      const verdict = await verifyOf(sent)
      for (const settings of ['options', 'flags'] as const)
        expect(diagnose(verdict, { settings }).failures[0]).toMatchObject({
          code,
          cause: expect.stringMatching(cause),
          fix: expect.stringMatching(fix)
        })
      const failure = verdict.failures.find(failure => failure.code === code)
      if (evidence !== undefined) expect(failure).toMatchObject({ evidence })
    }
  )
})
