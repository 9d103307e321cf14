import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { LABELS } from '../../src/explain/explain.ts'
import {
  type DiagnosedFailure,
  diagnose,
  explain,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../src/index.ts'
import type { SignRequest } from '../../src/testing/index.ts'
import { service, withHeaders } from './service.ts'

/** Describes the signed request, its changes on the way, and the configuration. */
export interface Way extends Partial<Omit<ReceivedRequest, 'headers'>> {
  sign?: SignRequest
  /** lines that are replaced, changed, added or removed on the way */
  headers?: Parameters<typeof withHeaders>[1]
  /** the request that arrives, where the service did not sign it */
  request?: ReceivedRequest
  options?: Partial<VerifierOptions>
  /** the line that is to be found, as it was signed */
  line?: string | undefined
}

/** A situation, with the first cause and the fix that a reader must get. */
export type Row = readonly [way: Way, cause: RegExp, fix?: RegExp]

type Code = DiagnosedFailure['code']
export type Rows = Readonly<Partial<Record<Code, Readonly<Record<string, Row>>>>>

export interface Situation {
  readonly name: string
  readonly code: Code
  readonly row: Row
}

export const situations = (rows: Rows): Situation[] =>
  Object.entries(rows).flatMap(([code, named]) =>
    Object.entries(named).map(([name, row]) => ({ name, code: code as Code, row }))
  )

export const sign = (request: SignRequest = {}) =>
  service.sign({ method: 'POST', target: '/hook?id=42', body: '{"price":10}', ...request })

/** Simulates the request as it arrives, without the server that changes it. */
export const simulate = ({
  sign: signed,
  headers = {},
  request,
  options: _,
  line: __,
  ...rest
}: Way): ReceivedRequest => ({
  ...withHeaders(request ?? sign(signed), headers),
  ...rest
})

/** Expects the right cause first, all other failures as its consequences, and texts for both options and flags. */
export function expectDiagnosis(verdict: Verdict, { code, row: [{ line }, cause, fix = /./] }: Situation): void {
  const { headline, failures } = diagnose(verdict)
  const [first, ...others] = failures
  expect(first).toMatchObject({ code, cause: expect.stringMatching(cause), fix: expect.stringMatching(fix) })
  expect(first?.changed).toEqual(line && changeOf(first!, line))
  expect(others.filter(({ followsFrom }) => followsFrom === undefined)).toEqual([])
  expect(headline).toBe(first?.check)

  const inFlags = diagnose(verdict, { settings: 'flags' }).failures[0]!
  expect(inFlags.cause).not.toMatch(/\b(?:accountPrefix|accountHeader|serviceDomain|replayStore|minRsaBits)\b/)
  expect(inFlags.fix).not.toMatch(/\b(?:adapter|verify\.|req\.|express|through URL|alsoCovered)\b|\w+: (?:'|\[)/)
  for (const { cause, fix } of [first!, inFlags]) {
    expect(`${cause} ${fix}`).not.toMatch(/(?<!== )undefined|\[\[|\|\||\{\w|null|NaN/)
    for (const text of [cause, fix]) expect(text).toMatch(/\S$/)
  }
  if (line) expect(explain(verdict)).toContain(`rejected: signature\n\n${LABELS.changed} `)
}

/** Returns the signed line, and the line of the same name in the rebuilt signing string. */
function changeOf({ facts }: DiagnosedFailure, signed: string): DiagnosedFailure['changed'] {
  const lines = facts.find(({ id }) => id === 'signingString')!.value.split('\n')
  const at = lines.findIndex(line => line.split(': ')[0] === signed.split(': ')[0])
  return { line: at + 1, signed, received: lines[at]! }
}

// ---- changes on the way

export const target = (signed: string, received: string, headers: Way['headers'] = {}): Way => ({
  sign: { target: signed },
  target: received,
  headers,
  line: `(request-target): post ${signed}`
})

export const host = (signed: string, received: string, options: Way['options'] = {}): Way => ({
  sign: { host: signed },
  headers: { Host: received },
  options,
  line: `host: ${signed}`
})

export const header = (name: string, signed: string, received: string): Way => ({
  sign: { headers: { [name]: signed } },
  headers: { [name]: received },
  line: `${name.toLowerCase()}: ${signed}`
})

/** Sets only these options; nothing changes on the way. */
export const when = (options: NonNullable<Way['options']>): Way => ({ options })

export const drop = (name: string): Way => ({ headers: { [name]: undefined } })

export const body = (
  signed: string | Uint8Array,
  received: string | Uint8Array,
  headers: SignRequest['headers'] = {}
): Way => ({
  sign: { body: signed, headers },
  body: received
})

/** The service signs at least these. */
export const COVERED = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
export const GZIP = { 'Content-Encoding': 'gzip' }
export const LONG = `{"a":"${'b'.repeat(200)}"}`
export const GZIPPED = gzipSync(LONG)

const WITH_PORT = { sign: { host: 'receiver.example:8443' } }

const PARSED = /a JSON parser read it, and it was serialized again/
const ENCODED = /decoded or encoded again/
const KEEP_HOST = /proxy_set_header Host \$http_host/

// ---- changes by real servers: test/servers/situations.servers.ts has each of them under the same name

export const REAL = {
  'digest-mismatch': {
    'JSON.stringify(req.body)': [body('{"a": 1, "b": [1, 2]}', '{"a":1,"b":[1,2]}'), PARSED],
    'JSON.stringify without 1.0': [
      body('{"price":1.0,"id":7}', '{"price":1,"id":7}'),
      /parsed and serialized again, or replaced/,
      /raw bytes/
    ],
    'json_encode(json_decode($raw))': [body('{"url": "/", "name": "é"}', '{"url":"\\/","name":"\\u00e9"}'), PARSED],
    'json_encode(json_decode($raw, true))': [body('{"id":1,"meta":{}}', '{"id":1,"meta":[]}'), PARSED],
    'json.dumps(json.loads(raw))': [body('{"name":"é","list":[1,2]}', '{"name": "\\u00e9", "list": [1, 2]}'), PARSED],
    'JSON.pretty_generate(JSON.parse(raw))': [
      body('{"list":[1,2],"empty":{}}', '{\n  "list": [\n    1,\n    2\n  ],\n  "empty": {\n  }\n}'),
      PARSED
    ],
    'http_build_query($_POST)': [body('a=b%20c&d=%C3%A9', 'a=b+c&d=%C3%A9', FORM), /a form parser read it/],
    'text read as Latin-1': [body('{"name":"é"}', '{"name":"Ã©"}'), /read as Latin-1 and written as UTF-8/],
    'a parser inflates gzip': [body(GZIPPED, LONG, GZIP), /decompressed it .*gzip/, /no parser in front/]
  },
  'coverage-absent': {
    'a proxy drops the body': [
      { ...drop('Content-Length'), body: '' },
      /removed Content-Length, which is signed: it dropped the body or sends it in chunks/
    ],
    'a proxy drops a name with an underscore': [
      { sign: { headers: { x_tenant: 'a' }, covered: [...COVERED, 'x_tenant'] }, ...drop('x_tenant') },
      /dropped x_tenant: many drop names with an underscore/,
      /underscores_in_headers on/
    ],
    'a redirect that is followed without the body': [
      { method: 'GET', target: '/hook/?id=42', ...drop('Content-Length'), body: '' },
      /a redirect turned POST into GET/,
      /URL to which a redirect leads/
    ]
  },
  'signature-missing': {
    'a proxy drops Signature': [drop('Signature'), /a proxy dropped this/]
  },
  'digest-missing': {
    'a proxy drops Digest': [drop('Digest'), /a proxy dropped this/]
  },
  'date-missing': {
    'a proxy drops Date': [drop('Date'), /a proxy or CDN dropped this/]
  },
  'not-https': {
    'TLS ends at a proxy': [
      { https: false },
      /TLS ends at a proxy, or the sender used http/,
      /https: 'x-forwarded-proto'/
    ],
    'TLS ends at a proxy that says so': [
      { https: false, headers: { 'X-Forwarded-Proto': 'https' } },
      /X-Forwarded-Proto: https, which is not trusted/,
      /anyone can send it\), give the adapter https: 'x-forwarded-proto'/
    ]
  },
  'host-mismatch': {
    'Host is the address of the upstream': [
      { headers: { Host: '127.0.0.1:3000' } },
      /replaced Host with the address that it forwards to \(127\.0\.0\.1:\d+\)/,
      /Host \$http_host.* give the adapter host: 'x-forwarded-host'.* only if the service calls you by that name/
    ],
    'Host is in X-Forwarded-Host': [
      { headers: { Host: '127.0.0.1:3000', 'X-Forwarded-Host': 'receiver.example' } },
      /replaced Host with 127\.0\.0\.1:\d+: the request has X-Forwarded-Host: receiver\.example, which is not trusted/,
      /sets that header itself \(anyone can send it\), give the adapter host: 'x-forwarded-host'/
    ],
    'a proxy adds a port to Host': [{ headers: { Host: 'receiver.example:8443' } }, /the port differs/],
    '$host has no port, which is configured': [
      { ...WITH_PORT, headers: { Host: 'receiver.example' }, options: { hosts: 'receiver.example:8443' } },
      /^the port of Host was dropped on the way: receiver\.example was received, and receiver\.example:8443 is conf/,
      KEEP_HOST
    ]
  },
  'signature-mismatch': {
    'a proxy strips a prefix': [
      target('/hooks/in?id=1', '/in?id=1'),
      /stripped \/hooks from the path/,
      /prefix: '\/hooks'/
    ],
    'a proxy strips a prefix without its slash': [
      target('/hooks/in?id=1', '//in?id=1'),
      /stripped \/hooks from the path and added a slash/,
      /proxy_pass without a path/
    ],
    'a proxy puts something in front': [
      target('/hook?id=42', '/api/hook?id=42'),
      /added a prefix to the path, or prefix is set but nothing was stripped/,
      /leave prefix out if nothing is stripped/
    ],
    'a rewrite, and the original in a header': [
      target('/hook?id=42', '/index.php?id=42', { 'X-Original-URI': '/hook?id=42' }),
      /x-original-uri has the signed one/
    ],
    'the query is dropped': [{ target: '/hook' }, /published key made this signature/, /a query dropped/],
    'slashes are merged': [target('/hook//42?id=1//2', '/hook/42?id=1//2'), /slashes were merged/],
    'a slash is removed at the end': [target('/hook/', '/hook'), /slashes were merged or removed/],
    'escapes in the other case': [target('/caf%c3%a9', '/caf%C3%A9'), ENCODED],
    'an escaped tilde is decoded': [target('/a%7Eb?id=42', '/a~b?id=42'), ENCODED],
    'an escaped space is decoded': [target('/hook.php/a%20b', '/hook.php/a b'), ENCODED],
    'PATH_INFO of WSGI': [target('/caf%C3%A9/a%20b', '/cafÃ©/a b'), ENCODED],
    'an apostrophe is escaped': [target("/hook?name=O'Neill", '/hook?name=O%27Neill'), ENCODED],
    'request.url of Fetch': [target('/hook?id=42', 'https://receiver.example/hook?id=42'), /the target is a whole URL/],
    'the method is changed': [{ method: 'PUT', line: '(request-target): post /hook?id=42' }, /method was changed/],
    'Content-Type gets a charset': [
      header('Content-Type', 'application/json', 'application/json; charset=utf-8'),
      /Content-Type was rewritten/
    ],
    'the body is inflated, with its length': [
      {
        ...body(GZIPPED, LONG, GZIP),
        headers: { 'Content-Length': `${LONG.length}` },
        line: `content-length: ${GZIPPED.length}`
      },
      /Content-Length was rewritten: something decoded, decompressed/
    ],
    'a list is joined otherwise': [header('X-Nonce', 'a,b', 'a, b'), /joined, split or repeated/],
    '$host is in lower case': [
      host('Receiver.Example', 'receiver.example'),
      /^line 2 was changed after it was signed: capital letters of Host were put in lower case, as nginx's \$host does$/,
      KEEP_HOST
    ],
    '$host has no port': [
      host('receiver.example:8443', 'receiver.example'),
      /changed the port in Host/,
      /\$host leaves the port out/
    ]
  }
} as const satisfies Rows
