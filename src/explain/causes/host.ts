import type { EvidenceByCode } from '../../core/result/evidence.ts'
import { type Cdn, cdnIn } from '../cdn.ts'
import { isSameName, withoutPort } from '../changed-line.ts'
import { fact } from '../facts.ts'
import type { Cause, CausesOf, ConditionalCause, FactsOf, Known } from './row.ts'

const KEEP_HOST = 'Have the proxy keep Host (nginx: proxy_set_header Host $http_host)'

/** Explains an X-Forwarded-Host with several values. */
const FORWARDED_LIST: ConditionalCause<'host-repeated' | 'host-mismatch'> = {
  when: ({ evidence: { header, received } }) => header !== undefined && received.includes(','),
  cause: ({ shown }) => `${shown.header} came with more than one value`,
  fix:
    'Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written a part ' +
    'of a list.'
}

const SECOND_HOST: Cause<'host-repeated' | 'host-mismatch'> = {
  cause: {
    options:
      'a broken sender or proxy, or an attack; or the platform changes request.url, whose host fromFetchRequest adds',
    flags: 'a broken sender or proxy, or an attack'
  },
  fix: {
    options:
      'Find out who adds the second one; a receiver cannot tell which of them counts. If it is the host of ' +
      "request.url: fromFetchRequest(request, { host: 'header' }).",
    flags: 'Find out who adds the second one; a receiver cannot tell which of them counts.'
  }
}

/** Matches an address, a name without a dot, or a name that only an internal network has. */
const INTERNAL = /^(?:\[[\da-f:.]+]|[\d.]+|[^.:]+|.+\.(?:internal|local|localhost|lan|svc|cluster\.local))(?::\d+)?$/i

type Mismatch = EvidenceByCode['host-mismatch']

/** Finds the configured name that is the received one with a port. */
const withPortOf = ({ expected, received }: Mismatch): string | undefined =>
  withoutPort(received) === received
    ? expected.find(name => name !== withoutPort(name) && isSameName(withoutPort(name), received))
    : undefined

/** Returns whether this is one of the names, on whatever port. */
const hasName = ({ expected, received }: Mismatch): boolean =>
  expected.some(name => isSameName(withoutPort(name), withoutPort(received)))

/** Finds the CDN in front, where the Host header itself has a name that is not the receiver's. */
const cdnThatReplaced = (evidence: Mismatch): Cdn | undefined =>
  evidence.header === undefined && !hasName(evidence) ? cdnIn(evidence.proxies) : undefined

/** Says how to keep a CDN from replacing Host. */
const keepHostOf = ({ evidence }: Known<'host-mismatch'>): string => {
  const cdn = cdnThatReplaced(evidence)
  return `Have ${cdn?.name} keep Host: ${cdn?.keepHost}`
}

/** Says which name to add, and when. */
const addHost = ({ shown, setting }: Known<'host-mismatch'>): string =>
  `Add the name, ${setting('hosts', shown.received)}, only if the URL that you gave to the service has it.`

export const hostFacts = (): FactsOf<'host'> => ({
  'host-missing': ({ expected, header }) => [...fact('expected', expected), ...fact('header', header)],
  'host-repeated': ({ received, expected, header }) => [
    ...fact('received', received),
    ...fact('expected', expected),
    ...fact('header', header)
  ],
  'host-mismatch': ({ received, expected, header }) => [
    ...fact('received', received),
    ...fact('expected', expected),
    ...fact('header', header)
  ]
})

export const hostCauses = (): CausesOf<'host'> => ({
  'host-missing': [
    {
      when: ({ evidence }) => evidence.header !== undefined,
      cause: 'your proxy sends no X-Forwarded-Host, which is to be trusted',
      fix: {
        options:
          'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host), or, if it keeps Host, leave ' +
          'the host option out.',
        flags: 'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host).'
      }
    },
    { cause: 'a proxy dropped it', fix: `${KEEP_HOST}.` }
  ],
  'host-repeated': [FORWARDED_LIST, SECOND_HOST],
  'host-mismatch': [
    FORWARDED_LIST,
    { when: ({ evidence }) => evidence.received.includes(','), ...SECOND_HOST },
    {
      when: ({ evidence }) => withPortOf(evidence) !== undefined,
      cause: ({ shown, evidence }) =>
        `the port of Host was dropped on the way: ${shown.received} was received, and ` +
        `${withPortOf(evidence)} is configured (nginx: $host leaves the port out)`,
      fix: ({ shown, setting }) =>
        `${KEEP_HOST}. If the URL that you gave to the service has no port: ${setting('hosts', shown.received)}.`
    },
    {
      when: ({ evidence }) => cdnThatReplaced(evidence) !== undefined && evidence.similar !== undefined,
      cause: ({ shown, evidence }) =>
        `${cdnThatReplaced(evidence)?.name} is in front, and a CDN may replace Host (received ${shown.received}; ` +
        `${shown.similar} is there, and is not trusted); or the request is for that name`,
      fix: {
        options: known =>
          `${keepHostOf(known)}; or, if it sets that header itself, host: 'x-forwarded-host'. ${addHost(known)}`,
        flags: known => `${keepHostOf(known)}. ${addHost(known)}`
      }
    },
    {
      when: ({ evidence }) => cdnThatReplaced(evidence) !== undefined,
      cause: ({ shown, evidence }) =>
        `${cdnThatReplaced(evidence)?.name} is in front, and a CDN may replace Host (received ${shown.received}); or ` +
        'the request is for that name',
      fix: known => `${keepHostOf(known)}. ${addHost(known)}`
    },
    {
      when: ({ evidence }) => evidence.similar !== undefined,
      cause: ({ shown: { received, similar } }) =>
        `a proxy replaced Host with ${received}: ${similar} is there, and is not trusted`,
      fix: {
        options:
          'If your own proxy sets that header itself (anyone can send it), give the adapter ' +
          "host: 'x-forwarded-host'; or have the proxy keep Host (nginx: proxy_set_header Host $http_host).",
        flags: `${KEEP_HOST}.`
      }
    },
    {
      when: ({ evidence }) => hasName(evidence),
      cause: ({ shown: { received, expected } }) =>
        `the port differs: ${received} was received and ${expected} is configured`,
      fix: ({ shown, setting }) =>
        `If the URL that you gave to the service has that port: ${setting('hosts', shown.received)}. If not, a proxy ` +
        'changed it: have it keep Host (nginx: proxy_set_header Host $http_host).'
    },
    {
      when: ({ evidence }) => evidence.header !== undefined,
      cause: 'the request is for another receiver, or the proxy writes another name into X-Forwarded-Host',
      fix: ({ shown, setting }) =>
        `Have the proxy send the name that the sender used; add it, ${setting('hosts', shown.received)}, only if the ` +
        'URL that you gave to the service has it.'
    },
    {
      when: ({ evidence }) => evidence.received === '_',
      cause: 'a proxy replaced Host with _, as nginx does with proxy_set_header Host $server_name (or _)',
      fix: `${KEEP_HOST}.`
    },
    {
      when: ({ evidence }) => INTERNAL.test(evidence.received),
      cause: ({ shown }) => `a proxy replaced Host with the address that it forwards to (${shown.received})`,
      fix: {
        options: ({ shown, setting }) =>
          `${KEEP_HOST}, or, if it sends X-Forwarded-Host, give the adapter host: 'x-forwarded-host'. Add it, ` +
          `${setting('hosts', shown.received)}, only if the service calls you by that name: a name that was not ` +
          'signed gives signature-mismatch.',
        flags: ({ shown, setting }) =>
          `${KEEP_HOST}. Add it, ${setting('hosts', shown.received)}, only if the service calls you by that name: a ` +
          'name that was not signed gives signature-mismatch.'
      }
    },
    {
      cause:
        'the request is for another receiver, or a proxy replaced Host, or it is a name of yours that is not ' +
        'configured',
      fix: {
        options: ({ shown, setting }) =>
          `Compare it with the URL that you gave to the service. ${KEEP_HOST}, or give the adapter host: ` +
          `'x-forwarded-host'; add it, ${setting('hosts', shown.received)}, only if that URL has it.`,
        flags: ({ shown, setting }) =>
          `Compare it with the URL that you gave to the service. ${KEEP_HOST}; add it, ` +
          `${setting('hosts', shown.received)}, only if that URL has it.`
      }
    }
  ]
})
