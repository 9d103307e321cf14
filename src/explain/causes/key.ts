import type { KeyEvidence } from '../../core/result/evidence.ts'
import { type Fact, fact, inWords, reasonFact, recordFacts } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import { describeProblem, findAppendedZone, findProblem, type RecordCode } from '../record-mistakes.ts'
import type { Cause, Causes, CausesOf, ConditionalCause, FactsOf, Sentence } from './row.ts'

/** Writes the command that asks for the key, of the same server as was asked, which need not be the system's. */
export function keyCommand({ name = '', servers = [] }: { name?: string; servers?: readonly string[] }): string {
  const [server = ''] = servers
  const isAddress = /^[\d.]+(?::\d+)?$|^\[[\da-f:]+\]:\d+$/.test(server)
  // A name is written only if a shell takes it as it is.
  const word = /^[\w][\w.-]{0,252}$/.test(name) ? name : 'NAME'
  return `npx signed-requests key ${word}${isAddress ? ` --dns-server ${server}` : ''}`
}

/** Finds the mistake in the record, where it shows; `key` says the same. */
const mistakeOf = (code: RecordCode, { name = '', record, records }: KeyEvidence) => {
  const found = findProblem(code, records ?? (record === undefined ? [] : [record]))
  const problem = (found.mistake === 'key-not-found' ? findAppendedZone(name) : undefined) ?? found
  return { ...describeProblem(problem), isRecognized: problem.mistake !== code }
}

/** Makes the cause that is in the record itself. */
const inRecord = <C extends RecordCode>(code: C): Cause<C> => ({
  cause: ({ evidence }) => mistakeOf(code, evidence).cause,
  fix: ({ evidence }) => `The sender must ${mistakeOf(code, evidence).fix}. Look at it with: ${keyCommand(evidence)}.`
})

/** Makes the same cause, only where the record shows a mistake. */
const mistakeInRecord = <C extends RecordCode>(code: C): ConditionalCause<C> => ({
  when: ({ evidence }) => mistakeOf(code, evidence).isRecognized,
  ...inRecord(code)
})

const askAgain: Sentence<'key-not-found'> = ({ evidence }) =>
  `Ask again with: ${keyCommand(evidence)}; if others see it, it is your DNS server.`

/** Explains the error of a lookup. DNS over HTTPS, too, says ECONNREFUSED for any failure of the connection. */
const lookupError = (error: string): string =>
  error === 'ECONNREFUSED' ? `${error}, it cannot be reached` : inWords(error)

/** Causes in DNS, or on the way to it. */
const UNREACHED: Causes<'key-lookup-failed' | 'key-lookup-timeout'> = [
  {
    // An address has no letter above f.
    when: ({ evidence: { servers = [] } }) => servers.some(server => /[^\d.:[\]a-f]/i.test(server)),
    cause: ({ shown, evidence }) =>
      `DNS over HTTPS at ${shown.servers}, or the network path to it: ${lookupError(evidence.error)}`,
    fix: ({ shown: { servers } }) =>
      `Check its URL, its certificate and HTTPS from here to ${servers}; the sender may try again.`
  },
  {
    cause: ({ evidence }) => `your DNS server, or the network path to it: ${lookupError(evidence.error)}`,
    fix: ({ evidence }) =>
      'Check the resolver and the firewall (UDP and TCP 53; long answers need TCP), with: ' +
      `${keyCommand(evidence)}; the sender may try again.`
  }
]

/** Lists the facts of a key that is missing or not good. */
const keyFactsOf = ({ name, bits, limit, reason, servers, record, records }: KeyEvidence): readonly Fact[] => [
  ...fact('name', name),
  ...fact('bits', bits),
  ...fact('limit', limit),
  ...reasonFact(reason),
  ...fact('servers', servers, 'asked'),
  ...recordFacts(record, records)
]

const lookupFacts = (name: string, error: string, servers: readonly string[] | undefined): readonly Fact[] => [
  ...fact('name', name),
  ...fact('error', error),
  ...fact('servers', servers, 'asked')
]

export const keyFacts = (): FactsOf<'key'> => ({
  'key-not-found': keyFactsOf,
  'key-malformed': keyFactsOf,
  'key-version-unsupported': keyFactsOf,
  'key-type-mismatch': keyFactsOf,
  'key-hash-not-allowed': keyFactsOf,
  'key-service-mismatch': keyFactsOf,
  'key-test-only': keyFactsOf,
  'key-revoked': keyFactsOf,
  'key-unreadable': keyFactsOf,
  'key-too-short': keyFactsOf,
  'key-too-long': keyFactsOf,
  'key-weak': keyFactsOf,
  'key-lookup-failed': ({ name, error, limit, servers }) => [
    ...lookupFacts(name, error, servers),
    ...fact('limit', limit)
  ],
  'key-lookup-timeout': ({ name, error, servers }) => lookupFacts(name, error, servers)
})

export const keyCauses = (): CausesOf<'key'> => ({
  'key-not-found': [
    mistakeInRecord('key-not-found'),
    {
      when: ({ evidence }) => evidence.reason === 'no key record among the TXT records',
      cause:
        'DNS has the name, but no key record there: the key is not published yet, or a wildcard or another TXT ' +
        'record is in its place',
      fix: ({ evidence }) => `Look at it with: ${keyCommand(evidence)}; the service must publish the key.`
    },
    {
      when: ({ evidence }) => evidence.reason === 'ENODATA',
      cause:
        'DNS has the name, but no TXT record there: the key was withdrawn, is not published yet, or your DNS server ' +
        'cannot see it',
      fix: askAgain
    },
    { cause: 'it was withdrawn, is not published yet, or your DNS server cannot see it', fix: askAgain }
  ],
  'key-malformed': [inRecord('key-malformed')],
  'key-version-unsupported': [inRecord('key-version-unsupported')],
  'key-type-mismatch': [
    mistakeInRecord('key-type-mismatch'),
    {
      cause: ({ setting }) =>
        `the key and the algorithm do not fit: ${setting('algorithms')} lacks one, or the record is bad`,
      fix: ({ evidence, setting }) =>
        `Look at it with: ${keyCommand(evidence)}; if the service documents such keys, add their algorithm to ` +
        `${setting('algorithms')}.`
    }
  ],
  'key-hash-not-allowed': [inRecord('key-hash-not-allowed')],
  'key-service-mismatch': [inRecord('key-service-mismatch')],
  'key-test-only': [inRecord('key-test-only')],
  'key-revoked': [inRecord('key-revoked')],
  'key-unreadable': [inRecord('key-unreadable')],
  'key-too-short': [
    mistakeInRecord('key-too-short'),
    {
      when: ({ evidence: { bits = 0 } }) => bits >= 1024,
      cause: ({ shown: { bits, limit }, setting }) =>
        `the key has ${bits} bits, and ${setting('minRsaBits')} is ${limit}: does the service use shorter keys?`,
      fix: ({ shown: { bits }, setting }) =>
        `If the service documents keys of ${bits} bits: ${setting('minRsaBits', bits)}.`
    },
    {
      cause: ({ shown }) => `the key has ${shown.bits} bits, fewer than the RFC allows`,
      fix: ({ shown, setting }) =>
        'Have the service publish a longer key: RFC 8301 forbids fewer than 1024 bits ' +
        `(${setting('minRsaBits')} is ${shown.limit}).`
    }
  ],
  'key-too-long': [
    mistakeInRecord('key-too-long'),
    {
      cause: ({ shown: { bits, limit }, setting }) =>
        `the key has ${bits} bits, and ${setting('maxRsaBits')} is ${limit}`,
      fix: ({ shown: { bits }, setting }) =>
        `If the service documents keys of ${bits} bits: ${setting('maxRsaBits', bits)}; if not, have the service ` +
        'publish another key.'
    }
  ],
  'key-weak': [inRecord('key-weak')],
  'key-lookup-failed': [
    {
      when: ({ evidence }) => evidence.problem === 'wrong-type',
      cause: ({ shown }) => `your lookupTxt function does not return TXT records: ${shown.error}`,
      fix: 'Return an array of strings for each record, as dns.promises.resolveTxt does.'
    },
    {
      when: ({ evidence }) => evidence.limit !== undefined,
      cause: ({ shown: { limit } }) =>
        `${limit} lookups of other names were in flight: DNS answers slowly, or somebody floods you with made-up keys`,
      fix: 'Check the resolver; if it is a flood, limit requests in front of this receiver. The sender may try again.'
    },
    {
      when: ({ evidence }) => evidence.problem === 'late',
      cause: 'the request was aborted before DNS had answered: its sender left, or the server ended it',
      fix: 'Nothing to fix while this is rare; if it is not, look at how fast DNS answers. The sender may try again.'
    },
    {
      when: ({ evidence }) => evidence.error === 'EAMBIGUOUS',
      cause:
        'DNS has several strings at this name, and Bun does not tell which of them are one TXT record: a guess could ' +
        'lose a restriction',
      fix: "Pass lookupTxt: dohTxtLookup({ url }) of 'signed-requests/doh', which gets the records as they are."
    },
    {
      when: ({ evidence: { error, problem } }) => problem === 'threw' && !isOutside(error),
      cause: ({ shown }) => `your lookupTxt function threw ${shown.error}`,
      fix: 'Fix that function; the sender may try again.'
    },
    ...UNREACHED
  ],
  'key-lookup-timeout': UNREACHED
})
