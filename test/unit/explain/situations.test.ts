import { expect, test } from 'vitest'
import { ONE } from '../../../fixtures/source/keys.ts'
import { diagnose, draftCavage, fromFetchRequest, type VerifierOptions } from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { claiming, failing } from '../../support/failing.ts'
import { linesOf, service } from '../../support/service.ts'
import {
  body,
  COVERED,
  drop,
  expectDiagnosis,
  FORM,
  GZIP,
  GZIPPED,
  header,
  host,
  LONG,
  REAL,
  type Row,
  type Rows,
  sign,
  simulate,
  situations,
  target,
  type Way,
  when
} from '../../support/situations.ts'
import { verifyWith } from '../../support/verdicts.ts'

const [KEY_NAME = ''] = Object.keys(service.records)
const RECORD = service.records[KEY_NAME]![0]!.join('')
const BODY = '{"price":10}'
const IMAGE = Buffer.from(Array.from({ length: 200 }, (_, i) => (i * 37) % 256))

const lookup = (lookupTxt: unknown, options: Partial<VerifierOptions> = {}): Way => ({
  options: { ...options, lookupTxt: lookupTxt as NonNullable<VerifierOptions['lookupTxt']> }
})
const published = (...records: string[]): Way => lookup(async () => records.map(record => [record]))
const accounts = (accounts: unknown) => when({ accounts: accounts as VerifierOptions['accounts'] })
const store = (claim: unknown) => when(claiming(claim as () => Promise<boolean>))
/** Makes a clock of the receiver that is fast. */
const fast = (minutes: number) => when({ now: () => Date.now() + minutes * 60_000 })

/** Makes a row for each of them. */
const each = <T>(all: readonly T[], row: (one: T) => readonly [name: string, ...row: Row]): Record<string, Row> =>
  Object.fromEntries(all.map(one => row(one)).map(([name, ...rest]) => [name, rest]))

const SIGNATURE = new Map(linesOf(sign())).get('Signature')!
const BOTH = { schemes: [draftCavage, rfc9421] }
const OTHER_RECORD = createTestService({ rsaBits: 1024 }).records[KEY_NAME]![0]!.join('')
const acme = createTestService({ accountHeader: 'X-Acme-ID', rsaBits: 1024 })
const full = memoryReplayStore({ maxEntries: 1 })
await verifyWith({ replayStore: full })

/** Makes a record of 2048 bits, which does not fit into 255 characters, with spaces before the key. */
const longRecord = (more: number) => ONE.record.replace('p=', `${' '.repeat(more)}p=`)

/** CDNs are recognized by the lines that they add. */
const CDNS = [
  ['CloudFront', { 'X-Amz-Cf-Id': 'AbC==' }, 'origin request policy that forwards Host, such as AllViewer'],
  ['CloudFront', { Via: '1.1 abc.cloudfront.net (CloudFront)' }, 'origin request policy'],
  ['Cloudflare', { 'CF-Ray': '8a1b-LIS' }, 'remove the Host header override'],
  ['Cloudflare', { 'CDN-Loop': 'cloudflare; loops=1' }, 'remove the Host header override'],
  ['Fastly', { 'X-Served-By': 'cache-lis1490024-LIS' }, 'leave "Override host" .* empty'],
  ['Azure Front Door', { 'X-Azure-FDID': 'a-b' }, 'leave "Origin host header" of its origin empty'],
  ['Akamai', { 'Akamai-Origin-Hop': '1' }, '"Forward Host Header" .* "Incoming Host Header"'],
  ["Google Cloud's load balancer", { Via: '1.1 google' }, 'hostRewrite']
] as const
const TWO_HOSTS = ['origin.example', 'receiver.example']

class QuotaError extends Error {
  override name = 'QuotaError'
}
/** Functions of the receiver throw these when they have a defect, not when their service fails. */
const OWN_ERRORS = [
  ['ReferenceError', new ReferenceError('db is not defined')],
  ['QuotaError', new QuotaError('no more')],
  ['Error', new Error('no')],
  ['ERR_INVALID_ARG_TYPE', Object.assign(new TypeError(), { code: 'ERR_INVALID_ARG_TYPE' })],
  ['ENOENT', Object.assign(new Error(), { code: 'ENOENT' })]
] as const
const own = (what: string, means: (fails: () => Promise<never>) => Way) =>
  each(OWN_ERRORS, ([label, error]) => [
    `an own error: ${label}`,
    means(() => Promise.reject(error)),
    new RegExp(`^${what} threw ${label}$`),
    /^Fix (?:that function|its code)/
  ])

const REPLACED =
  /^the body was changed after it was signed: parsed and serialized again, or replaced; it is \d+ bytes? shorter/
const CUT = /^the body was cut short after it was signed: \d+ of \d+ bytes$/

const SIMULATED = {
  'request-malformed': {
    'a method with a space': [{ method: 'A B' }, /is not a token/],
    'a method in lower case': [{ method: 'post' }, /has lower-case letters/],
    'a target with NUL': [{ target: '/\0' }, /^there is no target, or it has a line break or NUL$/],
    'too many header lines': [
      { request: { ...sign(), headers: Array.from({ length: 501 }, () => ['X-Loop', '1'] as const) } },
      /^there are too many header lines: a proxy adds one repeatedly, or this is an attack$/
    ],
    'a header with a line break': [
      { headers: { 'X-Nonce': 'a\r\nX-Admin: yes' } },
      /the header-value X-Nonce was decoded or rebuilt on the way; or this is a broken sender or an attack/,
      /Pass method, target and headers as received, undecoded, with an adapter\./
    ]
  },
  'digest-mismatch': {
    'a JSON parser loses escapes': [body('{"name":"caf\\u00e9"}', '{"name":"café"}'), /JSON parser/],
    'a text serialized again': [body(BODY, JSON.stringify(BODY)), /as a JSON string/],
    'a parsed body converted to a string': [body(BODY, '[object Object]'), /converted to a string/],
    'a form parser and encodeURIComponent': [body('a=b+c', 'a=b%20c', FORM), /form parser/],
    'bytes read as text': [body(IMAGE, String(IMAGE)), /U\+FFFD/],
    'a proxy inflates gzip, and hides it': [body(GZIPPED, LONG), /decompressed, parsed .* longer than what was signed/],
    'base64 of Lambda is not decoded': [body(BODY, btoa(BODY)), /base64/],
    'a body that was cut': [body(BODY, '{"pric'), /cut short .*: 6 of 12 bytes/],
    'a body that was read before': [body(BODY, ''), /body is empty/],
    'a capture without the body': [{ body: null }, /body is empty/, /raw bytes, before any body parser/],
    'a body added to a request that has none': [body('', 'null'), /signed an empty body/],
    'a forged body': [body(BODY, '{"price":99}'), /^the body was changed after it was signed, or/],
    'a newline that an editor removed': [body('{}\n', '{}'), /newline at its end was removed/],
    'a text, cut': [body('line one\nline two\n', 'line one\nli'), CUT],
    'an image, cut': [body(IMAGE, IMAGE.subarray(0, 90)), CUT],
    'XML, cut': [body('<a><b>1</b></a>', '<a><b>1</b'), CUT],
    'JSON, cut behind an inner bracket': [body('{"a":{"b":1},"c":2}', '{"a":{"b":1}'), CUT],
    'JSON, cut behind an inner list': [body('[[1,2],[3,4]]', '[[1,2]'), CUT],
    'a string of JSON, cut': [body('"one two three"', '"one two'), CUT],
    'a part of multipart, cut': [body('--x\r\nA: b\r\n\r\nc\r\n--x--\r\n', '--x\r\nA: b\r\n\r\nc'), CUT],
    'a shorter object': [body('{"price":100000}', '{"price":1}'), REPLACED],
    'a shorter list': [body('[1,2,3,4]', '[9]'), REPLACED],
    'a shorter string': [body('"one two three"', '"two"'), REPLACED],
    'a shorter number': [body('123456', '654'), REPLACED],
    'a shorter word': [body('false', 'true'), REPLACED],
    'a shorter form': [body('a=1&b=2&c=3', 'b=7&c=3'), REPLACED]
  },
  'body-too-large': {
    'a body above the limit': [
      when({ maxBodyBytes: 4 }),
      /large body, or a flood/,
      /Raise maxBodyBytes if the service sends such bodies \(it is now 4 bytes\)\./
    ]
  },
  'body-unreadable': {
    'a broken connection': [{ body: { [Symbol.asyncIterator]: () => ({ next: failing('ECONNRESET') }) } }, /ECONNRESET/]
  },
  'coverage-absent': {
    'a proxy drops Content-Encoding, which is signed': [
      {
        sign: { body: GZIPPED, headers: GZIP, covered: [...COVERED, 'content-encoding'] },
        ...drop('Content-Encoding'),
        body: LONG
      },
      /removed Content-Encoding: it decompressed/
    ]
  },
  'signature-mismatch': {
    'a proxy says which prefix it strips': [
      target('/inbound/acme/hook?id=42', '/hook?id=42', { 'X-Forwarded-Prefix': '/inbound/acme' }),
      /stripped \/inbound\/acme from the path/
    ],
    ...each(['hook', 'webhook', 'webhooks', 'api', 'v1', 'v2', 'v3', 'v4', 'callback'], prefix => [
      `a proxy strips /${prefix}`,
      target(`/${prefix}/in`, '/in'),
      new RegExp(`stripped /${prefix} from the path`),
      new RegExp(`prefix: '/${prefix}'`)
    ]),
    ...each(['', '?id=1'], query => [
      `a proxy makes a slash of /hooks${query}`,
      target(`/hooks${query}`, `/${query}`),
      /stripped \/hooks from the path and added a slash/,
      /proxy_pass without a path/
    ]),
    'a stripped prefix during a rotation, signed by the second key of the name': [
      { ...target('/hooks/in', '/in'), ...published(OTHER_RECORD, RECORD) },
      /stripped \/hooks from the path/
    ],
    'the path in lower case': [
      target('/Acme/Hook?Id=1', '/acme/hook?Id=1'),
      /^line 1 was changed after it was signed: capital letters became lower case$/
    ],
    'an escaped space is decoded, and an escaped slash is not': [
      target('/a%20b%2Fc', '/a b%2Fc'),
      /decoded or encoded again/
    ],
    'an escaped slash is decoded': [target('/files/a%2Fb', '/files/a/b'), /decoded or encoded again/],
    'the query is dropped, and the original in a header': [
      target('/hook?id=42', '/hook', { 'X-Forwarded-Uri': '/hook?id=42' }),
      /query was dropped/
    ],
    'a cache sorts the query': [
      target('/hook?type=a&id=42&at=7&by=me', '/hook?at=7&by=me&id=42&type=a'),
      /query parameters were reordered/
    ],
    'the target is rebuilt through URL': [target('/a?b=c+d', '/a?b=c%20d'), /decoded or encoded again/],
    'another method': [
      { sign: { method: 'DELETE' }, method: 'POST', line: '(request-target): delete /hook?id=42' },
      /method was changed/
    ],
    ...each(['; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8'], charset => [
      `Content-Type loses ${charset}`,
      header('Content-Type', `text/csv${charset}`, 'text/csv'),
      /Content-Type was rewritten/
    ]),
    'a slash is added at the end': [target('/hook', '/hook/'), /slashes were merged or removed/],
    'another type of content': [header('Content-Type', 'application/json', 'image/png'), /Content-Type was rewritten/],
    'a redirect turns POST into GET': [
      { method: 'GET', line: '(request-target): post /hook?id=42' },
      /redirect turned POST into GET/
    ],
    'a method of RFC 9421 in lower case': [
      { sign: { scheme: 'rfc9421' }, method: 'post', options: { schemes: [rfc9421] }, line: '"@method": POST' },
      /the method was changed/
    ],
    ...each(['RECEIVER.EXAMPLE', 'Hooks-Receiver.Example', 'Receiver.Example:8443'], name => [
      `$host of nginx puts ${name} in lower case`,
      host(name, name.toLowerCase(), { hosts: name }),
      /capital letters of Host were put in lower case, as nginx's \$host does/,
      /Host \$http_host/
    ]),
    'Host in capitals': [host('receiver.example', 'RECEIVER.EXAMPLE'), /the case of Host was changed/],
    'Host is another of ours': [
      host('receiver.example', 'www.receiver.example', { hosts: ['www.receiver.example', 'receiver.example'] }),
      /replaced Host/
    ],
    'Host without the usual port': [host('receiver.example:443', 'receiver.example'), /changed the port/],
    ...each(CDNS, ([name, lines, fix]) => [
      `${name} (${Object.keys(lines)}) replaces Host by another of ours`,
      {
        ...host('receiver.example', 'origin.example', { hosts: TWO_HOSTS }),
        headers: { Host: 'origin.example', ...lines }
      },
      new RegExp(`${name} replaced Host`),
      new RegExp(`^(?!.*nginx).*${fix}`)
    ]),
    'another key under the same name': [published(OTHER_RECORD), /another key made it/]
  },

  // headers
  'not-https': {
    'a proxy that says http, and is not trusted': [
      { https: false, headers: { 'X-Forwarded-Proto': 'http' } },
      /^X-Forwarded-Proto says http: the sender used http, or a proxy in front of yours ends TLS$/,
      /^Have the sender use https; with two proxies, have the outer one set the header/
    ]
  },
  'signature-missing': {
    'an unsigned request of a scanner': [
      { request: { method: 'GET', target: '/.env', headers: [['Host', '10.0.0.5']], body: null, https: false } },
      /not signed, so it is not from the service/
    ],
    'the signature is in Authorization': [
      { headers: { Signature: undefined, Authorization: `Signature ${SIGNATURE}` } },
      /^the signature is in Authorization, the other form of the draft, which is not read here$/,
      /same parameters in a Signature header/
    ],
    'another kind of Authorization, and no signature': [
      { headers: { Signature: undefined, Authorization: 'Bearer Signature' } },
      /a proxy dropped this/
    ],
    'the draft, where only RFC 9421 is allowed': [
      when({ schemes: [rfc9421] }),
      /^it is signed by the draft, not by RFC 9421, or a proxy dropped Signature-Input$/,
      /schemes: \[draftCavage, rfc9421\]/
    ]
  },
  'signature-malformed': {
    'a comma is missing': [
      { headers: { Signature: value => value.replace('",algorithm', '" algorithm') } },
      /the sender wrote it in another form/,
      /commas in between/
    ],
    'the standard of RFC 9421': [{ sign: { scheme: 'rfc9421' } }, /signed by RFC 9421/],
    'Signature-Input dropped, where both standards are allowed': [
      { sign: { scheme: 'rfc9421' }, ...drop('Signature-Input'), options: BOTH },
      /^it is signed by RFC 9421, not by the draft; or a proxy dropped Signature-Input, where both are allowed$/,
      /have proxies pass Signature-Input on unchanged/
    ],
    'a Signature of RFC 9421 that is malformed, and not of another standard': [
      { sign: { scheme: 'rfc9421' }, headers: { Signature: value => `${value};x` }, options: BOTH },
      /^(?!.*not by the draft)/
    ]
  },
  'host-mismatch': {
    'Host is the server_name of nginx for any name': [
      { headers: { Host: '_' } },
      /^a proxy replaced Host with _, as nginx does with proxy_set_header Host \$server_name/,
      /proxy_set_header Host \$http_host/
    ],
    'Host is an IPv6 address of the upstream': [
      { headers: { Host: '[2001:db8::a]:3000' } },
      /replaced Host with the address that it forwards to \(\[2001:db8::a\]:3000\)/
    ],
    'a name that is not configured': [
      { sign: { host: 'hooks.receiver.example' } },
      /another receiver, or a proxy replaced Host, or it is a name of yours/
    ],
    ...each(CDNS, ([name, lines, fix]) => [
      `${name} (${Object.keys(lines)}) replaces Host`,
      { headers: { Host: 'origin.example', ...lines } },
      new RegExp(`^${name} is in front, .* Host \\(received origin\\.example\\)`),
      new RegExp(`^(?!.*nginx).*${fix}`)
    ]),
    'a proxy that names itself in Via, and no CDN': [
      { headers: { Host: 'origin.example', Via: '1.1 squid' } },
      /a proxy replaced Host/
    ],
    '$host has no port, and the name is configured with capitals': [
      { ...host('Receiver.Example:8443', 'receiver.example', { hosts: 'Receiver.Example:8443' }), line: undefined },
      /^the port of Host was dropped on the way: receiver\.example was received, and Receiver\.Example:8443 is conf/
    ],
    'another port of a name that is configured with capitals': [
      { headers: { Host: 'receiver.example:8443' }, options: { hosts: 'Receiver.Example' } },
      /^the port differs: receiver\.example:8443 was received and Receiver\.Example is configured$/
    ],
    'cloudflared with httpHostHeader': [
      { headers: { Host: 'localhost', 'CF-Ray': '8a1b-LIS', 'CDN-Loop': 'cloudflare; loops=1' } },
      /^Cloudflare is in front/,
      /^Have Cloudflare keep Host/
    ]
  },
  'host-repeated': {
    'fromFetchRequest where the platform changes request.url': [
      { request: fromFetchRequest(new Request('https://localhost:3000/hook?id=42', sign())) },
      /the platform changes request\.url/,
      /host: 'header'/
    ]
  },
  'account-missing': {
    'the account is in another header': [
      { request: acme.sign(), ...lookup(acme.lookupTxt) },
      /the request has X-Acme-ID: account-1234; is that the service's header\?/,
      /accountHeader: 'X-Acme-ID'/
    ],
    'a proxy that drops the account header, which is signed': [
      drop('X-Service-ID'),
      /^a proxy removed x-service-id, which is signed$/
    ]
  },
  'account-repeated': {
    'the account header twice': [
      { request: { ...sign(), headers: [...linesOf(sign()), ['X-Service-ID', 'account-1234']] } },
      /a proxy or the sender wrote it twice/,
      /have proxies pass every header on unchanged/i
    ]
  },
  'account-mismatch': {
    'another account': [
      { sign: { headers: { 'X-Service-ID': 'account-99' } } },
      /another customer of the service, or for an account of yours/
    ],
    'a proxy replaces the account': [
      { headers: { 'X-Service-ID': 'account-99' } },
      /or x-service-id was changed: the signature is not checked until the account matches$/,
      /^If 99 is yours: .* If not, .* have proxies pass x-service-id on unchanged\.$/
    ],
    ...each(['account', ''], accountPrefix => [
      `accountPrefix is "${accountPrefix}"`,
      when({ accountPrefix }),
      /^a part of the prefix is left in (?:account)?-1234: is accountPrefix too short\?$/,
      /leave it out for account-/
    ]),
    'accountPrefix is a part, and a function decides': [
      when({ accountPrefix: 'account', accounts: id => id === '1234' }),
      /is accountPrefix too short/
    ],
    'ids have the prefix': [when({ accountPrefix: '', accounts: ['account-99'] }), /another customer of the service/]
  },
  'account-check-failed': {
    'accounts returns a row': [accounts(() => ({ id: 1 })), /does not return a boolean/],
    'accounts throws': [accounts(failing('ECONNREFUSED')), /threw ECONNREFUSED/],
    ...own('your accounts function', accounts)
  },

  // clocks
  'date-too-old': {
    'a request that was kept, or a clock that is fast': [
      fast(10),
      /10 minutes behind .* delayed or replayed, or this clock is fast/,
      /date -u/
    ]
  },
  'date-in-future': {
    'a clock that is slow': [fast(-10), /10 minutes ahead .* sender's clock is fast, or this one is slow/, /date -u/],
    'now() in seconds': [
      when({ now: () => Date.now() / 1000 }),
      /Jan 1970 .*\): now\(\) returns seconds, not milliseconds$/,
      /^Return milliseconds since 1970/
    ],
    'a machine that has no clock': [when({ now: () => 60_000 }), /01 Jan 1970 .* or this one is slow/]
  },
  'coverage-insufficient': {
    ...each(['(request-target)', 'host', 'date', 'digest'], part => [
      `a part that is always signed is not: ${part}`,
      { sign: { covered: COVERED.filter(name => name !== part) } },
      /^the sender signs less than the service does$/,
      new RegExp(`^Have the sender sign ${part.replace(/[()]/g, '\\$&')}, or anyone can change it\\.$`)
    ]),
    'a name that only the receiver wants signed': [
      when({ alsoCovered: ['x-tenant'] }),
      /a name is configured that the service does not sign/,
      /check accountHeader and alsoCovered/
    ]
  },

  // keys
  'key-name-outside-domain': {
    'the domain is the name of the key': [
      when({ serviceDomain: KEY_NAME }),
      /serviceDomain is the name of the key itself/,
      /Set serviceDomain to the service's own domain, such as service\.example\./
    ],
    'another domain': [when({ serviceDomain: 'other.example' }), /a key of another domain, or a wrong serviceDomain/],
    'a keyId that is the domain': [
      { headers: { Signature: value => value.replace(KEY_NAME, 'service.example') } },
      /the sender names serviceDomain itself as its key/,
      /under service\.example/
    ]
  },
  'key-too-short': {
    'a good key below minRsaBits': [
      when({ minRsaBits: 4096 }),
      /has 1024 bits, and minRsaBits is 4096: does the service use shorter keys\?/
    ]
  },
  'key-too-long': {
    'a good key above maxRsaBits': [
      lookup(async () => [[ONE.record]], { maxRsaBits: 1024 }),
      /has 2048 bits, and maxRsaBits is 1024/
    ]
  },
  'key-not-found': {
    'a key that is not published': [lookup(failing('ENOTFOUND')), /withdrawn, is not published yet/],
    'a name without TXT records': [lookup(failing('ENODATA')), /^DNS has the name, but no TXT record there: /],
    'another TXT record in the place of the key': [
      published('v=spf1 -all'),
      /no key record there: .* a wildcard or another TXT record/
    ]
  },
  'key-revoked': {
    'a key that was revoked': [published('v=DKIM1; p='), /it was replaced/]
  },
  'key-unreadable': {
    'a record that was cut': [published(RECORD.slice(0, -8)), /was cut at \d+ characters/],
    ...each([0, 1, 2, 3], more => [
      `a record that was cut at 255 characters, with ${more} before the key`,
      published(longRecord(more).slice(0, 255)),
      /^the record was cut at 255 characters: only its first part is there$/,
      /The sender must publish the whole record/
    ]),
    'a record that was cut at another length': [published(ONE.record.slice(0, 254)), /was cut at 254 characters/],
    'a bad record of 255 characters': [published(`${ONE.record.slice(0, 250)}; t=s`), /is not a public key/]
  },
  'key-malformed': each(
    [
      ['in quotes', `"${RECORD}"`],
      ['in two strings', RECORD.replace(/^(.{90})/, '$1" "')],
      ['with escaped quotes', `${RECORD.slice(0, 40)}\\"${RECORD.slice(40)}"`],
      ['with escaped semicolons', RECORD.replaceAll(';', '\\;')]
    ] as const,
    ([how, text]) => [
      `a record in the form of a zone file, ${how}`,
      published(text),
      /^the quotes or backslashes of a zone file were published/,
      /The sender must publish the text without quotes/
    ]
  ),
  'key-lookup-failed': {
    'DNS that does not answer': [lookup(failing('ECONNREFUSED')), /your DNS server.*ECONNREFUSED/],
    'a lookupTxt function that returns no promise': [
      lookup(() => undefined),
      /^your lookupTxt function does not return TXT records: it returned no promise$/
    ],
    'a lookupTxt function that returns strings': [
      lookup(async () => [RECORD]),
      /^your lookupTxt function does not return TXT records: the answer is not of the form string\[\]\[\]/,
      /as dns\.promises\.resolveTxt does/
    ],
    ...own('your lookupTxt function', lookup)
  },
  'key-lookup-timeout': {
    'DNS that is slow': [lookup(() => new Promise(() => {}), { lookupTimeout: 1 }), /your DNS server/]
  },

  // replay
  replayed: {
    'the same bytes again': [
      store(async () => false),
      /a retry of the sender .*, or an attack/,
      /Nothing to fix if the first one was handled/
    ]
  },
  'replay-store-failed': {
    'a memory that is full': [when({ replayStore: full }), /REPLAY_STORE_FULL, it is full/],
    "a claim() that resolves to 'OK'": [store(async () => 'OK'), /resolved to neither true nor false/],
    ...each(
      ['ECONNREFUSED', 'ECONNRESET', '57P03', '40001', 'SQLITE_BUSY', 'CLUSTERDOWN', 'UND_ERR_SOCKET', 'EAI_AGAIN'],
      code => [
        `a store whose server says ${code}`,
        store(failing(code)),
        code === '40001'
          ? /^the replay store failed: 40001/
          : new RegExp(`^the replay store (?:cannot|is|has|takes) .*\\(${code}\\)$`),
        /The sender can retry\.|the sender can retry\./
      ]
    ),
    ...own('the store', store)
  }
} satisfies Rows

test.each([...situations(REAL), ...situations(SIMULATED)])('$code: $name', async situation => {
  const {
    row: [way]
  } = situation
  expectDiagnosis(await verifyWith(way.options ?? {}, simulate(way)), situation)
})

test('an algorithm for the command line, where the flag replaces the default', async () => {
  const request = simulate({ headers: { Signature: value => value.replace('a-sha256', 'a-sha512') } })
  const [failure] = diagnose(await verifyWith({}, request), { settings: 'flags' }).failures
  expect(failure?.fix).toBe(
    'If the service says so, list it together with the others (rsa-sha256): --algorithm rsa-sha512.'
  )
})
