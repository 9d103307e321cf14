import type { Code } from '../../../src/core/result/codes.ts'
import type { EvidenceOf } from '../../../src/core/result/evidence.ts'
import type { Failure } from '../../../src/core/verdict/verdict.ts'
import { adviceOn } from '../../../src/explain/advice.ts'
import { causesOf } from '../../../src/explain/causes/causes.ts'
import type { EvidenceIn, Known, Surroundings } from '../../../src/explain/causes/row.ts'
import type { LineChange } from '../../../src/explain/changed-line.ts'
import { THIS_CLOCK } from '../../../src/explain/facts.ts'

const AROUND: Surroundings = {
  isUnsigned: false,
  isOtherStandard: false,
  isSigned: false,
  clock: THIS_CLOCK,
  search: {},
  body: {}
}

/** The evidence omits undefined members. */
type Change<E> = { readonly [K in keyof E]?: E[K] | undefined }

interface Situation<C extends Code> {
  readonly evidence?: Change<EvidenceOf<C>> | 'none'
  readonly around?: Partial<Surroundings>
}

/** The search for a changed line has found this besides the change, where the cause names it. */
const LINE_CHANGES: Readonly<Record<LineChange, string | undefined>> = {
  prefix: '/api',
  slash: '/api',
  url: undefined,
  added: undefined,
  rewritten: 'x-original-uri',
  query: undefined,
  encoding: undefined,
  case: undefined,
  'host-case': undefined,
  order: undefined,
  method: undefined,
  host: undefined,
  port: undefined,
  protocol: undefined,
  length: undefined,
  type: undefined,
  list: undefined,
  character: undefined
}
const lineChanges = Object.entries(LINE_CHANGES).map(([change, detail]) => ({
  around: { search: { change: change as LineChange, ...(detail !== undefined && { detail }) } }
}))

/** The examples' Date is this many seconds ahead of a clock that returns seconds instead of milliseconds. */
const NOW_IN_SECONDS = 1_793_380_824

/**
 * Lists changes of the page's example for which another cause comes first. The first change that fits a cause fills its
 * line.
 */
const SITUATIONS: { readonly [C in Code]?: readonly Situation<C>[] } = {
  'request-malformed': [
    { evidence: { part: 'method' } },
    { evidence: { part: 'target' } },
    { evidence: { part: 'header-count' } }
  ],
  'not-https': [
    { evidence: { received: ['https'] } },
    { evidence: { received: ['on'] } },
    { evidence: { received: ['http'] } },
    { evidence: { received: [] } },
    { evidence: 'none' }
  ],
  'date-in-future': [{ evidence: { received: 'Fri, 20 Nov 2026 12:00:00 GMT', offsetSeconds: NOW_IN_SECONDS } }],
  'host-missing': [{ evidence: { header: undefined } }],
  'host-repeated': [{ evidence: { header: 'X-Forwarded-Host' } }],
  'host-mismatch': [
    { evidence: { header: 'X-Forwarded-Host', received: 'hooks.example.com, other.example.com' } },
    { evidence: { received: 'hooks.example.com, other.example.com' } },
    { evidence: { received: 'hooks.example.com', expected: ['hooks.example.com:8443'], similar: undefined } },
    { evidence: { proxies: ['CF-Ray: 8a1b-LIS'] } },
    { evidence: { proxies: ['CF-Ray: 8a1b-LIS'], similar: undefined } },
    { evidence: { received: 'hooks.example.com:8443', similar: undefined } },
    { evidence: { header: 'X-Forwarded-Host', similar: undefined } },
    { evidence: { received: '_', similar: undefined } },
    { evidence: { similar: undefined } },
    { evidence: { received: 'other.example.com', similar: undefined } }
  ],
  'account-missing': [
    { evidence: { similar: undefined }, around: { isSigned: true } },
    { evidence: { similar: undefined } }
  ],
  'account-malformed': [{ evidence: { similar: 'X-Acme-ID: account-1234' } }],
  'account-mismatch': [{ evidence: { received: '-1234' } }, { evidence: { expected: undefined } }],
  'account-check-failed': [{ evidence: { problem: 'wrong-type' } }, { evidence: { error: 'TypeError' } }],
  'signature-missing': [
    { evidence: 'none', around: { isUnsigned: true } },
    { evidence: 'none', around: { isOtherStandard: true } },
    { evidence: 'none' }
  ],
  'signature-malformed': [{ evidence: { looksLike: 'rfc9421' } }],
  'signature-algorithm-not-allowed': [{ evidence: { received: 'hmac-sha256' } }],
  'signature-created-out-of-range': [
    { evidence: { offsetSeconds: NOW_IN_SECONDS } },
    { evidence: { created: 1_795_176_301, offsetSeconds: 301 } }
  ],
  'coverage-insufficient': [{ evidence: { missing: ['x-tenant'] } }],
  'coverage-absent': [
    { evidence: { absent: ['"x-nonce";sf'], reason: 'it is not a structured field' } },
    { evidence: { absent: ['content-encoding'] } },
    { evidence: { absent: ['content-length'] } },
    { evidence: { absent: ['x_nonce'] } }
  ],
  'key-name-outside-domain': [
    { evidence: { domain: 'key1._domainkey.other.example' } },
    { evidence: { received: 'service.example' } }
  ],
  'key-not-found': [
    { evidence: { name: 'key1._domainkey.service.example.service.example' } },
    { evidence: { reason: 'no key record among the TXT records', records: ['v=spf1 -all'] } },
    { evidence: { reason: 'ENODATA' } }
  ],
  'key-type-mismatch': [{ evidence: { record: 'v=DKIM1; k=ed25519; p="..."' } }],
  'key-too-short': [{ evidence: { record: 'v=DKIM1; p="..."' } }, { evidence: { bits: 1024, limit: 2048 } }],
  'key-too-long': [{ evidence: { record: 'v=DKIM1; p="..."' } }],
  'key-lookup-failed': [
    { evidence: { problem: 'wrong-type', error: 'the answer is not of the form string[][]' } },
    { evidence: { problem: 'late', limit: 1000, error: 'too many lookups are in flight' } },
    { evidence: { problem: 'late', error: 'aborted by the receiver' } },
    { evidence: { problem: 'threw', error: 'EAMBIGUOUS' } },
    { evidence: { problem: 'threw', error: 'TypeError' } },
    { evidence: { servers: ['https://dns.example/dns-query'] } }
  ],
  'key-lookup-timeout': [{ evidence: { servers: ['https://dns.example/dns-query'] } }],
  'signature-mismatch': [
    ...lineChanges,
    { around: { search: { isByKey: true } } },
    { around: { search: { isByKey: false } } }
  ],
  'digest-mismatch': [
    { evidence: { bodyLength: 0 } },
    { evidence: { expected: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' } },
    { around: { body: { decompressed: 'gzip' } } },
    { around: { body: { change: 'cut-short' } } },
    { around: { body: { change: 'json-reserialized' } } },
    { evidence: { bodyLength: 16 } },
    { evidence: { contentLength: undefined } }
  ],
  'replay-store-failed': [
    { evidence: { problem: 'wrong-type' } },
    { evidence: { error: 'SQLITE_READONLY_DBMOVED', problem: 'threw', store: 'SQLite' } },
    { evidence: { error: 'TypeError', problem: 'threw' } }
  ]
}

/**
 * Returns the causes of a code in their order, each filled with the evidence of a request for which it comes first.
 * Throws for a cause without such a request: nobody would ever see that cause.
 */
export function causesOnPage<C extends Code>(code: C, example: Readonly<Record<string, unknown>>): string {
  const causes = causesOf(code)
  const situations = [{}, ...(SITUATIONS[code] ?? [])].map(({ evidence, around }: Situation<C>) => ({
    evidence: evidenceIn<C>(example, evidence),
    around: { ...AROUND, ...around }
  }))
  const lines = causes.map((row, i) => {
    const found = situations.find(
      ({ evidence, around }) => row === causes.find(one => !('when' in one) || one.when(knownOf(evidence, around)))
    )
    if (found === undefined) throw new Error(`no situation shows cause ${i + 1} of ${code}`)
    const { cause, fix } = adviceOn({ code, evidence: found.evidence } as Failure, 'options', found.around)
    return `  - ${cause} **Fix:** ${fix}\n`
  })
  return lines.join('')
}

/** Returns the input of a condition. */
const knownOf = <C extends Code>(evidence: EvidenceIn<C>, around: Surroundings): Known<C> =>
  ({ ...around, evidence }) as Known<C>

function evidenceIn<C extends Code>(example: object, change: Situation<C>['evidence']): EvidenceIn<C> {
  if (change === 'none') return undefined as EvidenceIn<C>
  const entries = Object.entries({ ...example, ...change }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as EvidenceIn<C>
}

/** Returns the evidence of the example in a section of the page. */
export function exampleIn(section: string): Readonly<Record<string, unknown>> {
  const [, example = '{}'] = /Example of the evidence:\*\* `(\{.*\})`/.exec(section) ?? []
  return new Function(`return (${example})`)()
}
