import { constants, createHash, createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { EXPONENT_3, ONE } from '../../../fixtures/source/keys.ts'
import { encodePkcs1, signEncoded } from '../../../fixtures/source/sign.ts'
import { createVerifier, diagnose, type VerifierOptions } from '../../../src/index.ts'
import { failing } from '../../support/failing.ts'
import { base64, COVERED, DATE, KEY_ID, RECEIVER, requestOf, type Sender } from '../../support/senders.ts'

type LookupTxt = NonNullable<VerifierOptions['lookupTxt']>

/** What a sender does, or what is published; the first code, and what its cause and its fix must say. */
type Row = readonly [name: string, sent: Sender & { lookupTxt?: LookupTxt }, code: string, cause: RegExp, fix: RegExp]

const digestOf = (body: string | Uint8Array): string => `SHA-256=${base64('sha256', body)}`
const signs = (text: NonNullable<Sender['text']>): Sender => ({ text })
const inHeader = (from: string | RegExp, to: string): Sender => ({ header: header => header.replace(from, to) })
const publishes = (record: string) => ({ lookupTxt: async () => [record.match(/.{1,255}/gs)!] })

/** Signs the signing string by other means than RSASSA-PKCS1. */
function signsBy(sign: (text: string) => Uint8Array): Sender {
  let signed = ''
  return { text: text => (signed = text), write: () => Buffer.from(sign(signed)).toString('base64') }
}

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pss = { key: ONE.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const UMLAUT = '{"name":"Zoë"}'
const der = Buffer.from(ONE.p, 'base64')
const pem = `-----BEGIN PUBLIC KEY-----\n${ONE.p.replace(/.{64}/g, '$&\n')}\n-----END PUBLIC KEY-----\n`
const jwk = JSON.stringify({ kty: 'RSA', n: 'u1SU1LfVLPHCozMxH2Mo', e: 'AQAB' })
const openssh = `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ${'C7'.repeat(80)} deploy@host`

const ROWS: readonly Row[] = [
  // ---- the signing string
  [
    'C#: Encoding.Unicode.GetBytes',
    signs(text => Buffer.from(text, 'utf16le')),
    'signature-mismatch',
    /sender.*UTF-16/,
    /UTF-8/
  ],
  [
    'C#: StreamWriter with Encoding.UTF8, which writes a byte order mark',
    signs(text => `\xef\xbb\xbf${text}`),
    'signature-mismatch',
    /sender.*byte order mark/,
    /without/
  ],
  [
    'n8n: JSON.stringify of the signing string',
    signs(text => JSON.stringify(text)),
    'signature-mismatch',
    /sender.*JSON/,
    /string itself/
  ],
  [
    'Elixir: String.downcase of the whole string',
    signs(text => text.toLowerCase()),
    'signature-mismatch',
    /sender.*lower case/,
    /values.*as/
  ],
  [
    'Ruby: path and method in lower case, as by the words "lower-cased method and path"',
    { ...signs(text => text.replace('/Hook/Orders', '/hook/orders')), target: '/Hook/Orders' },
    'signature-mismatch',
    /sender|lower case/,
    /as .*(?:sent|stand|received)|as it/
  ],
  [
    "PHP: path . '?' . query, with an empty query",
    { target: '/hook?', called: '/hook' },
    'signature-mismatch',
    /question mark.*sender/,
    /question mark|"\?"/
  ],
  [
    'Guzzle: signs the path behind base_uri',
    { target: '/hook', called: '/app/hook' },
    'signature-mismatch',
    /sender.*base URL/,
    /sign.*whole path/
  ],
  [
    'Java: URI.getPath(), which decodes',
    { target: '/hook/a b', called: '/hook/a%20b' },
    'signature-mismatch',
    /sender/,
    /getRawPath|as it calls/
  ],
  [
    "Go: req.Header.Get('Host'), which is empty",
    { signedHeaders: { Host: '' } },
    'signature-mismatch',
    /sender.*(?:empty.*Host|Host.*empty)/,
    /Host/
  ],
  [
    'SOAP: SOAPAction signed without its quotes',
    {
      covered: [...COVERED, 'soapaction'],
      headers: { SOAPAction: '"urn:orders#create"' },
      signedHeaders: { SOAPAction: 'urn:orders#create' }
    },
    'signature-mismatch',
    /sender.*without the quotes/,
    /quotes|as .*sent/
  ],
  [
    'Postman: the signing string in base64',
    signs(text => Buffer.from(text).toString('base64')),
    'signature-mismatch',
    /sender.*base64/,
    /itself/
  ],

  // ---- the signature
  [
    'Zapier: HMAC-SHA256 with a shared secret',
    signsBy(text => createHmac('sha256', 'secret').update(text).digest()),
    'signature-mismatch',
    /32 bytes.*HMAC/,
    /private key/
  ],
  [
    'Workers: RSA-PSS of WebCrypto, named rsa-sha256',
    signsBy(text => signBytes('sha256', Buffer.from(text), pss)),
    'signature-mismatch',
    /published key made it.*PSS/,
    /PKCS1/
  ],
  [
    'Java: NONEwithRSA over the hash',
    signsBy(text => signEncoded(encodePkcs1(sha256(text), 256), ONE)),
    'signature-mismatch',
    /published key made it.*without the name of its hash/,
    /PKCS1/
  ],
  [
    'Rust: privateEncrypt of the hash in hexadecimal',
    signsBy(text => signEncoded(encodePkcs1(Buffer.from(sha256(text).toString('hex')), 256), ONE)),
    'signature-mismatch',
    /published key made it/,
    /PKCS1/
  ],
  [
    'Kotlin: ECDSA, named rsa-sha256',
    signsBy(text => signBytes('sha256', Buffer.from(text), ec.privateKey)),
    'signature-mismatch',
    /ECDSA/,
    /RSA/
  ],
  [
    'a JWS as the signature',
    { write: bytes => `eyJhbGciOiJSUzI1NiJ9..${bytes.toString('base64url')}` },
    'signature-not-base64',
    /JWS|JWT/,
    /signature alone|bytes/
  ],

  // ---- the header
  [
    'Authorization: Signature, and no Signature',
    { headers: { Authorization: `Signature keyId="${KEY_ID}",signature="AA=="` }, header: () => undefined },
    'signature-missing',
    /Authorization/,
    /Signature header/
  ],
  [
    'AWS habit: semicolons between the names in headers',
    inHeader(/(?<=headers=".*) (?=.*",s)/g, ';'),
    'signature-malformed',
    /semicolons.*headers/,
    /one space/
  ],
  [
    'a list of Python in headers',
    inHeader(/headers="[^"]*"/, `headers="['(request-target)', 'host', 'date', 'x-service-id', 'digest']"`),
    'signature-malformed',
    /list/,
    /one space/
  ],
  [
    'Postman: {{signature}} that was not replaced',
    { write: () => '{{signature}}' },
    'signature-not-base64',
    /not filled in|placeholder|\{\{/,
    /variable/
  ],
  [
    'the public key itself as keyId',
    inHeader(KEY_ID, ONE.p),
    'key-name-malformed',
    /public key itself/,
    /_domainkey\.service\.example/
  ],
  [
    'a fingerprint as keyId',
    inHeader(KEY_ID, 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU'),
    'key-name-malformed',
    /fingerprint/,
    /_domainkey\.service\.example/
  ],
  [
    'keyId without _domainkey',
    { ...inHeader(KEY_ID, 'one.service.example'), lookupTxt: failing('ENOTFOUND') },
    'key-not-found',
    /_domainkey/,
    /one\._domainkey\.service\.example/
  ],

  // ---- Date and the account
  [
    'Go: time.RFC1123 in a local zone',
    { headers: { Date: 'Sat, 28 Nov 2026 07:10:28 CET' } },
    'date-malformed',
    /time zone/,
    /GMT/
  ],
  [
    'JavaScript: new Date(undefined).toUTCString()',
    { headers: { Date: 'Invalid Date' } },
    'date-malformed',
    /Invalid Date.*JavaScript|JavaScript.*Invalid Date/,
    /Sun, 06 Nov 1994 08:49:37 GMT/
  ],
  [
    'C#: the culture of the server',
    { headers: { Date: 'Sa., 28 Nov. 2026 06:10:28 GMT' } },
    'date-malformed',
    /English|language/,
    /Sat, 28 Nov 2026 06:10:28 GMT|Sun, 06 Nov 1994 08:49:37 GMT/
  ],
  [
    'X-Date, because the client does not let Date be set',
    {
      headers: { Date: undefined, 'X-Date': DATE },
      covered: COVERED.map(name => (name === 'date' ? 'x-date' : name))
    },
    'date-missing',
    /X-Date/,
    /write.*Date/
  ],
  [
    'Postman: account-{{accountId}} that was not replaced',
    { headers: { 'X-Service-ID': 'account-{{accountId}}' } },
    'account-mismatch',
    /not filled in|placeholder|\{\{/,
    /variable/
  ],
  [
    'account-undefined',
    { headers: { 'X-Service-ID': 'account-undefined' } },
    'account-mismatch',
    /not filled in|undefined/,
    /variable|fill/
  ],

  // ---- Digest
  [
    'Rack: the digest of a stream that was read before',
    { headers: { Digest: digestOf('') } },
    'digest-mismatch',
    /sender.*empty body/,
    /hash.*bytes.*send|sends/
  ],
  [
    'C#: the digest of UTF-16',
    { body: UMLAUT, headers: { Digest: digestOf(Buffer.from(UMLAUT, 'utf16le')) } },
    'digest-mismatch',
    /sender.*UTF-16/,
    /bytes.*(?:send|sent)/
  ],
  [
    'Java: body.getBytes() on Windows',
    { body: UMLAUT, headers: { Digest: digestOf(Buffer.from(UMLAUT, 'latin1')) } },
    'digest-mismatch',
    /sender.*Latin-1/,
    /UTF-8/
  ],
  [
    'Python: json.dumps for the digest, and json= of httpx, which is compact',
    { body: '{"price":10,"id":7}', headers: { Digest: digestOf('{"price": 10, "id": 7}') } },
    'digest-mismatch',
    /JSON.*serialized.*sender|sender.*serialized/,
    /sender.*(?:once|same bytes)/
  ],
  [
    'Node.js: the digest of String(object)',
    { headers: { Digest: digestOf('[object Object]') } },
    'digest-mismatch',
    /sender.*\[object Object\]/,
    /bytes.*(?:send|sent)|JSON/
  ],
  [
    'OkHttp: the digest of before a gzip interceptor',
    {
      body: gzipSync(UMLAUT),
      headers: { Digest: digestOf(UMLAUT), 'Content-Encoding': 'gzip' }
    },
    'digest-mismatch',
    /sender.*before.*compress/,
    /after.*compress|compressed bytes/
  ],

  // ---- the key record
  ...(
    [
      [
        'base64 of the PEM',
        Buffer.from(pem).toString('base64'),
        'key-unreadable',
        /PEM.*base64|base64.*PEM/,
        /between/
      ],
      ['an OpenSSH key', openssh, 'key-unreadable', /OpenSSH/, /ssh-keygen|SubjectPublicKeyInfo|PKCS8/],
      ['a JWK', jwk, 'key-malformed', /JWK/, /DER|base64/],
      ['hexadecimal', der.toString('hex'), 'key-unreadable', /hexadecimal/, /base64/],
      ['base64url', der.toString('base64url'), 'key-unreadable', /base64url/, /\+ and \//],
      [
        'XML of C#',
        '<RSAKeyValue><Modulus>u1SU1LfVLPHCozMxH2Mo</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>',
        'key-unreadable',
        /XML/,
        /ExportSubjectPublicKeyInfo|base64/
      ],
      [
        'the modulus alone',
        der.subarray(33, 289).toString('base64'),
        'key-unreadable',
        /modulus/,
        /SubjectPublicKeyInfo|DER/
      ],
      [
        '\\n of a PEM in an environment variable',
        `${ONE.p.slice(0, 64)}\\n${ONE.p.slice(64)}`,
        'key-malformed',
        /\\n/,
        /without|leave/
      ]
    ] as const
  ).map(([name, p, ...expected]): Row => [`p= is ${name}`, publishes(`v=DKIM1; k=rsa; p=${p}`), ...expected]),
  [
    'p= is a certificate',
    publishes(`v=DKIM1; k=rsa; p=MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa${'A'.repeat(600)}`),
    'key-unreadable',
    /certificate/,
    /public key/
  ],
  [
    'commas between the tags',
    publishes(ONE.record.replaceAll(';', ',')),
    'key-version-unsupported',
    /comma/,
    /semicolon/
  ],
  [
    'names of tags in capitals',
    publishes(ONE.record.replace('v=', 'V=').replace('k=', 'K=').replace('p=', 'P=')),
    'key-not-found',
    /capital|lower case/,
    /lower case/
  ],
  [
    'k=RS256',
    publishes(ONE.record.replace('k=rsa', 'k=RS256')),
    'key-type-mismatch',
    /not an algorithm \(RS256\)/,
    /k=rsa/
  ],
  ['h=SHA-256', publishes(ONE.record.replace('p=', 'h=SHA-256; p=')), 'key-hash-not-allowed', /SHA-256/, /h=sha256/],
  [
    's=webhook',
    publishes(ONE.record.replace('p=', 's=webhook; p=')),
    'key-service-mismatch',
    /s=/,
    /s=\*|without|leave/
  ],
  [
    'the key of staging, published in its place',
    publishes(EXPONENT_3.record),
    'signature-mismatch',
    /another key made it/,
    /--request FILE/
  ]
]

describe('a mistake of a sender, by what its language or platform makes easy', () => {
  test.each(ROWS.map(row => [`${row[2]}: ${row[0]}`, row] as const))('%s', async (_, [, sent, code, cause, fix]) => {
    const { lookupTxt = RECEIVER.lookupTxt, ...sender } = sent
    const verdict = await createVerifier({ ...RECEIVER, lookupTxt })(requestOf(sender))
    for (const settings of ['options', 'flags'] as const)
      expect(diagnose(verdict, { settings }).failures[0]).toMatchObject({
        code,
        cause: expect.stringMatching(cause),
        fix: expect.stringMatching(fix)
      })
  })
})
