import { RSA_BITS } from '../../core/key/rsa-der.ts'
import type { KeyEvidence } from '../../core/result/evidence.ts'
import { type Fact, fact, inWords, reasonFact, recordFacts } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import { describeRecordCode, findMistake, mistakeExamples, type RecordCode } from '../record-mistakes.ts'
import { escapeText } from '../text.ts'
import { type Causes, type ConditionalCause, causeOf, type EntriesOf, type Facts, type LastCause } from './entry.ts'

const NAME = 'key1._domainkey.service.example'

/** Writes the command that asks for the key, of the same server as was asked, which need not be the system's. */
export function keyCommand({ name = '', servers = [] }: { name?: string; servers?: readonly string[] }): string {
  const [server = ''] = servers
  const isAddress = /^[\d.]+(?::\d+)?$|^\[[\da-f:]+\]:\d+$/.test(server)
  // A name is written only if a shell takes it as it is.
  const word = /^[\w][\w.-]{0,252}$/.test(name) ? name : 'NAME'
  return `npx signed-requests key ${word}${isAddress ? ` --dns-server ${server}` : ''}`
}

/** Says what the sender must do, and how to look at the record. */
const senderMust = (fix: string, evidence: KeyEvidence): string =>
  `The sender must ${fix}. Check it with: ${keyCommand(evidence)}.`

/** Makes the cause that is a mistake in the record, where one shows; `key` says the same. */
function mistakeInRecord<C extends RecordCode>(code: C): ConditionalCause<C> {
  // All these codes have the same evidence, which the compiler does not see through the parameter.
  const entry: ConditionalCause<'key-malformed'> = causeOf({
    find: ({ evidence: { name, record, records = record === undefined ? [] : [record] } }) =>
      findMistake(code, records, { name }),
    cause: ({ found }) => found.cause,
    fix: ({ found, evidence }) => senderMust(found.fix, evidence),
    examples: mistakeExamples(code).map(example => ({
      evidence: 'name' in example ? example : { record: undefined, records: example.records }
    }))
  })
  return entry as unknown as ConditionalCause<C>
}

/** Makes the cause that the code says. */
const inRecord = <C extends RecordCode>(code: C): LastCause<C> => ({
  cause: describeRecordCode(code).cause,
  fix: ({ evidence }) => senderMust(describeRecordCode(code).fix, evidence)
})

/** Lists the causes of a code whose reason is in the record. */
const recordCauses = <C extends RecordCode>(code: C): Causes<C> => [mistakeInRecord(code), inRecord(code)]

/** Puts _domainkey behind the first label of a name that lacks it (RFC 6376 section 3.6.2.1). */
const withDomainKey = (name = ''): string | undefined =>
  /(?:^|\.)_domainkey\./i.test(name) ? undefined : name.replace('.', '._domainkey.')

const askAgain = ({ evidence }: { readonly evidence: KeyEvidence }): string =>
  `Ask again with: ${keyCommand(evidence)}; if others see it, it is your DNS server.`

/** Explains the error of a lookup. DNS over HTTPS, too, says ECONNREFUSED for any failure of the connection. */
const lookupError = (error: string): string =>
  error === 'ECONNREFUSED' ? `${error}, it cannot be reached` : inWords(error)

/** An address has no letter above f. */
const isOverHttps = (server: string): boolean => /[^\d.:[\]a-f]/i.test(server)

const isLoopback = (server: string): boolean => /^(?:127\.0\.0\.1|\[?::1\]?)(?::53)?$/.test(server)

/** Causes in DNS, or on the way to it. */
const UNREACHED: Causes<'key-lookup-failed' | 'key-lookup-timeout'> = [
  {
    find: ({ evidence: { servers = [] } }) => servers.some(isOverHttps),
    examples: [{ evidence: { servers: ['https://dns.example/dns-query'] } }],
    cause: ({ shown, evidence }) =>
      `DNS over HTTPS at ${shown.servers}, or the network path to it: ${lookupError(evidence.error)}`,
    fix: ({ shown: { servers } }) =>
      `Check its URL, its certificate and HTTPS from here to ${servers}. The sender can retry.`
  },
  {
    cause: ({ evidence }) => `your DNS server, or the network path to it: ${lookupError(evidence.error)}`,
    fix: ({ evidence }) =>
      'Check the resolver and the firewall (UDP and TCP 53; long answers need TCP), with: ' +
      `${keyCommand(evidence)}. The sender can retry.`
  }
]

/** Lists the facts of a key that is missing or not good. */
const keyFactsOf: Facts<RecordCode> = ({ name, bits, limit, reason, servers, record, records }: KeyEvidence) => [
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

export const keyEntries = (): EntriesOf<'key'> => ({
  'key-not-found': {
    about: 'The name does not exist, has no TXT record, or none that is a key record.',
    example: { name: NAME, reason: 'ENOTFOUND', servers: ['192.0.2.53'] },
    facts: keyFactsOf,
    causes: [
      mistakeInRecord('key-not-found'),
      {
        find: ({ evidence }) => evidence.reason === 'no key record among the TXT records',
        cause:
          'DNS has the name, but no key record there: the key is not published yet, or a wildcard or another TXT ' +
          'record is in its place',
        fix: ({ evidence }) => `Check it with: ${keyCommand(evidence)}; the service must publish the key.`,
        examples: [{ evidence: { reason: 'no key record among the TXT records', records: ['v=spf1 -all'] } }]
      },
      {
        find: ({ evidence }) => evidence.reason === 'ENODATA' && evidence.records?.length === 0,
        cause:
          'the alias leads to a name without a key: DNS answers with a CNAME record, and has no TXT record where it ' +
          'leads',
        fix: ({ evidence }) =>
          'The service must publish the key at that name, or correct the alias. Check it with: ' +
          `${keyCommand(evidence)}.`,
        examples: [{ evidence: { reason: 'ENODATA', records: [] } }]
      },
      {
        find: ({ evidence }) => evidence.reason === 'ENODATA',
        cause:
          'DNS has the name, but no TXT record there: the key was withdrawn, is not published yet, or your DNS ' +
          'server cannot see it',
        fix: askAgain,
        examples: [{ evidence: { reason: 'ENODATA' } }]
      },
      causeOf({
        find: ({ evidence }) => withDomainKey(evidence.name),
        cause: ({ found }) =>
          'there is no such name: the sender may have left _domainkey out (' +
          `${escapeText(found)}); else it was withdrawn, is not published yet, or your DNS server cannot see it`,
        fix: ({ found, evidence }) =>
          `Try ${keyCommand({ ...evidence, name: found })}: if the key is there, have the sender write that name in ` +
          'keyId. ' +
          askAgain({ evidence }),
        examples: [{ evidence: { name: 'key1.service.example' } }]
      }),
      { cause: 'it was withdrawn, is not published yet, or your DNS server cannot see it', fix: askAgain }
    ]
  },
  'key-malformed': {
    about: 'The record is not a tag list (RFC 6376 section 3.2), or has no `p=`.',
    example: { name: NAME, record: 'v=DKIM1; k=rsa', reason: 'there is no p=' },
    facts: keyFactsOf,
    causes: recordCauses('key-malformed')
  },
  'key-version-unsupported': {
    about: '`v=` is not `DKIM1`.',
    example: { name: NAME, record: 'v=dkim1; p=MIIB...' },
    facts: keyFactsOf,
    causes: recordCauses('key-version-unsupported')
  },
  'key-type-mismatch': {
    about: "The key's type is unknown, is not the one that `k=` names, or does not fit the algorithm.",
    example: {
      name: NAME,
      record: 'v=DKIM1; k=ed25519; p=...',
      reason: 'an ed25519 key does not fit the allowed algorithm'
    },
    facts: keyFactsOf,
    causes: [
      mistakeInRecord('key-type-mismatch'),
      {
        cause: ({ setting }) =>
          'the key does not match the algorithm: the request names another one than it is signed with, ' +
          `${setting('algorithms')} lacks that of the key, or the record is wrong`,
        fix: ({ evidence, setting }) =>
          `Check it with: ${keyCommand(evidence)}; if the key is right, have the sender name its algorithm, and if ` +
          `the service documents such keys, add that to ${setting('algorithms')}.`
      }
    ]
  },
  'key-hash-not-allowed': {
    about: '`h=` of the record does not allow the hash in use.',
    example: { name: NAME, record: 'v=DKIM1; h=sha1; p=...', reason: 'h= allows neither sha256 nor sha512' },
    facts: keyFactsOf,
    causes: recordCauses('key-hash-not-allowed')
  },
  'key-service-mismatch': {
    about: '`s=` of the record is for another kind of service.',
    example: { name: NAME, record: 'v=DKIM1; s=tlsrpt; p=...' },
    facts: keyFactsOf,
    causes: recordCauses('key-service-mismatch')
  },
  'key-test-only': {
    about: '`t=y`: the domain is testing, and the signature does not count.',
    example: { name: NAME, record: 'v=DKIM1; t=y; p=...' },
    facts: keyFactsOf,
    causes: recordCauses('key-test-only')
  },
  'key-revoked': {
    about: '`p=` is empty: the key was withdrawn.',
    example: { name: NAME, record: 'v=DKIM1; k=rsa; p=' },
    facts: keyFactsOf,
    causes: recordCauses('key-revoked')
  },
  'key-unreadable': {
    about: '`p=` is not canonical base64 of a public key.',
    example: { name: NAME, record: 'v=DKIM1; p=not base64!', reason: 'p= is not canonical base64' },
    facts: keyFactsOf,
    causes: recordCauses('key-unreadable')
  },
  'key-too-short': {
    about: 'The RSA key has fewer bits than `minRsaBits`.',
    example: { name: NAME, record: 'v=DKIM1; p=...', bits: 512, limit: RSA_BITS.min },
    facts: keyFactsOf,
    causes: [
      mistakeInRecord('key-too-short'),
      {
        find: ({ evidence: { bits = 0 } }) => bits >= RSA_BITS.min,
        cause: ({ shown: { bits, limit }, setting }) =>
          `the key has ${bits} bits, and ${setting('minRsaBits')} is ${limit}: does the service use shorter keys?`,
        fix: ({ shown: { bits }, setting }) =>
          `If the service documents keys of ${bits} bits: ${setting('minRsaBits', bits)}.`,
        examples: [{ evidence: { bits: RSA_BITS.min, limit: 2048 } }]
      },
      {
        cause: ({ shown }) => `the key has ${shown.bits} bits, fewer than the RFC allows`,
        fix: ({ shown, setting }) =>
          `Have the service publish a longer key: RFC 8301 forbids fewer than ${RSA_BITS.min} bits ` +
          `(${setting('minRsaBits')} is ${shown.limit}).`
      }
    ]
  },
  'key-too-long': {
    about: 'The RSA key has more bits than `maxRsaBits`: verifying with it would cost too much.',
    example: { name: NAME, record: 'v=DKIM1; p=...', bits: 16_384, limit: RSA_BITS.max },
    facts: keyFactsOf,
    causes: [
      mistakeInRecord('key-too-long'),
      {
        cause: ({ shown: { bits, limit }, setting }) =>
          `the key has ${bits} bits, and ${setting('maxRsaBits')} is ${limit}`,
        fix: ({ shown: { bits }, setting }) =>
          `If the service documents keys of ${bits} bits: ${setting('maxRsaBits', bits)}; if not, have the service ` +
          'publish another key.'
      }
    ]
  },
  'key-weak': {
    about: 'Anyone can forge signatures for this key: a public exponent of 1 or an even one, a point of small order.',
    example: {
      name: NAME,
      record: 'v=DKIM1; p=...',
      bits: 2048,
      reason: 'the public exponent is not an odd number of at least 3 and at most 33 bits'
    },
    facts: keyFactsOf,
    causes: recordCauses('key-weak')
  },
  'key-lookup-failed': {
    about:
      'The lookup failed: SERVFAIL, REFUSED, no server, or your `lookupTxt` threw (then `cause` is the error). Or ' +
      'nobody waited for it: the request was aborted, or a thousand queries of other names were in flight (`limit`).',
    also: 'The error itself is `verdict.failures[0].cause`.',
    example: { name: NAME, error: 'ESERVFAIL', problem: 'threw', servers: ['10.0.0.2'] },
    exampleNote:
      '`problem` may be `late`, `threw` (with `error`), `wrong-type` or `unreachable` (by the code of its error)',
    facts: ({ name, error, limit, servers }) => [...lookupFacts(name, error, servers), ...fact('limit', limit)],
    causes: [
      {
        find: ({ evidence }) => evidence.problem === 'wrong-type',
        cause: ({ shown }) => `your lookupTxt function does not return TXT records: ${shown.error}`,
        fix: 'Return an array of strings for each record, as dns.promises.resolveTxt does.',
        examples: [{ evidence: { problem: 'wrong-type', error: 'the answer is not of the form string[][]' } }]
      },
      {
        find: ({ evidence }) => evidence.limit !== undefined,
        cause: ({ shown: { limit } }) =>
          `${limit} lookups of other names were in flight: DNS is slow, or this is a flood of made-up key names`,
        fix: 'Check the resolver; if it is a flood, limit requests in front of this receiver. The sender can retry.',
        examples: [{ evidence: { problem: 'late', limit: 1000, error: 'too many lookups are in flight' } }]
      },
      {
        find: ({ evidence }) => evidence.problem === 'late',
        cause: 'the sender disconnected, or your server ended the request, before DNS answered',
        fix: 'Nothing to fix if this is rare. Otherwise check how fast DNS answers. The sender can retry.',
        examples: [{ evidence: { problem: 'late', error: 'aborted by the receiver' } }]
      },
      {
        find: ({ evidence }) => evidence.error === 'EAMBIGUOUS',
        cause:
          'DNS has several strings at this name, and Bun does not tell which of them form one TXT record: a guess ' +
          'could lose a restriction',
        fix: "Pass lookupTxt: dohTxtLookup({ url }) of 'signed-requests/doh', which gets the records as they are.",
        examples: [{ evidence: { error: 'EAMBIGUOUS' } }]
      },
      {
        find: ({ evidence: { error, problem } }) => problem === 'threw' && !isOutside(error),
        cause: ({ shown }) => `your lookupTxt function threw ${shown.error}`,
        fix: 'Fix that function. The sender can retry.',
        examples: [{ evidence: { error: 'TypeError' } }]
      },
      {
        find: ({ evidence: { error, servers = [] } }) =>
          error === 'ECONNREFUSED' && servers.length > 0 && servers.every(isLoopback),
        examples: [{ evidence: { error: 'ECONNREFUSED', servers: ['127.0.0.1'] } }],
        cause: ({ shown }) =>
          `nothing listens at ${shown.servers}, the only DNS server that is known: on Windows Node.js 20.20, 22.22, ` +
          '24.13 and later find no other (a fault of c-ares 1.34.6); elsewhere the local resolver is not running',
        fix: {
          options:
            "Name a DNS server: lookupTxt: dnsTxtLookup({ servers: ['192.0.2.53'] }) with the address of yours, or " +
            "dohTxtLookup({ url }) of 'signed-requests/doh'; or start the local resolver.",
          flags: 'Name a DNS server: --dns-server with the address of yours, or --doh URL; or start the local resolver.'
        }
      },
      {
        find: ({ evidence: { error, servers = [] } }) => error === 'ECONNREFUSED' && !servers.some(isOverHttps),
        examples: [{ evidence: { error: 'ECONNREFUSED', servers: ['10.0.0.2'] } }],
        cause: ({ evidence }) =>
          `your DNS server, or the network path to it: ${lookupError(evidence.error)}; or it answers over UDP and ` +
          'refuses TCP, which a long key needs',
        fix: ({ evidence }) =>
          `Check the resolver and the firewall (UDP and TCP 53), with: ${keyCommand(evidence)}. The sender can retry.`
      },
      ...UNREACHED
    ]
  },
  'key-lookup-timeout': {
    about: 'There was no answer within `lookupTimeout`.',
    also: 'A local resolver helps more than a longer timeout.',
    example: { name: NAME, error: 'no answer within 5000 ms' },
    facts: ({ name, error, servers }) => lookupFacts(name, error, servers),
    causes: UNREACHED
  }
})
