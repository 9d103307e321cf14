import type { EvidenceByCode } from '../../core/result/evidence.ts'
import { type Cdn, cdnIn } from '../cdn.ts'
import { isSameName, withoutPort } from '../changed-line.ts'
import { expectedFact, fact } from '../facts.ts'
import { type ConditionalCause, causeOf, type EntriesOf, type Known, type LastCause } from './entry.ts'

const KEEP_HOST = 'Have the proxy keep Host (nginx: proxy_set_header Host $http_host)'

/** Explains an X-Forwarded-Host with several values. */
const FORWARDED_LIST: ConditionalCause<'host-repeated' | 'host-mismatch'> = {
  find: ({ evidence: { header, received } }) => header !== undefined && received.includes(','),
  cause: ({ shown }) => `${shown.header} came with more than one value`,
  fix:
    'Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written a part ' +
    'of a list.',
  examples: [{ evidence: { header: 'X-Forwarded-Host', received: 'hooks.example.com, other.example.com' } }]
}

const SECOND_HOST: LastCause<'host-repeated' | 'host-mismatch'> = {
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

/** Says which name to add, and when. */
const addHost = ({ shown, setting }: Pick<Known<'host-mismatch'>, 'shown' | 'setting'>): string =>
  `Add the name, ${setting('hosts', shown.received)}, only if the URL that you gave to the service has it.`

export const hostEntries = (): EntriesOf<'host'> => ({
  'host-missing': {
    about:
      'There is no `Host`. If `header` is `X-Forwarded-Host`, the adapter was told to trust it, and that header is ' +
      'missing.',
    example: { expected: ['hooks.example.com'], header: 'X-Forwarded-Host' },
    facts: ({ header, ...list }) => [...expectedFact(list), ...fact('header', header)],
    causes: [
      {
        find: ({ evidence }) => evidence.header !== undefined,
        cause: 'your proxy does not send X-Forwarded-Host, which you trust',
        fix: {
          options:
            'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host), or, if it keeps Host, ' +
            'leave the host option out.',
          flags: 'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host).'
        }
      },
      { cause: 'a proxy dropped it', fix: `${KEEP_HOST}.`, examples: [{ evidence: { header: undefined } }] }
    ]
  },
  'host-repeated': {
    about: 'There is more than one `Host`, or a `Host` that differs from the authority of the URL.',
    example: { received: 'hooks.example.com, other.example.com', expected: ['hooks.example.com'] },
    facts: ({ received, header, ...list }) => [
      ...fact('received', received),
      ...expectedFact(list),
      ...fact('header', header)
    ],
    causes: [FORWARDED_LIST, SECOND_HOST]
  },
  'host-mismatch': {
    about: '`Host` is not one of `hosts`. Case and the default port do not matter; any other port does.',
    example: {
      received: 'backend.internal:8080',
      expected: ['hooks.example.com'],
      similar: 'X-Forwarded-Host: hooks.example.com'
    },
    exampleNote: '`similar` would match, but is not trusted',
    facts: ({ received, header, ...list }) => [
      ...fact('received', received),
      ...expectedFact(list),
      ...fact('header', header)
    ],
    causes: [
      FORWARDED_LIST,
      {
        find: ({ evidence }) => evidence.received.includes(','),
        ...SECOND_HOST,
        examples: [{ evidence: { received: 'hooks.example.com, other.example.com' } }]
      },
      causeOf({
        find: ({ evidence }) => withPortOf(evidence),
        cause: ({ shown, found }) =>
          `the port of Host was dropped on the way: ${shown.received} was received, and ${found} is configured ` +
          '(nginx: $host leaves the port out)',
        fix: ({ shown, setting }) =>
          `${KEEP_HOST}. If the URL that you gave to the service has no port: ${setting('hosts', shown.received)}.`,
        examples: [
          { evidence: { received: 'hooks.example.com', expected: ['hooks.example.com:8443'], similar: undefined } }
        ]
      }),
      causeOf({
        find: ({ evidence }) => cdnThatReplaced(evidence),
        cause: ({ shown, found }) => {
          const similar = shown.similar === undefined ? '' : `; the request has ${shown.similar}, which is not trusted`
          return (
            `${found.name} is in front, and a CDN may replace Host (received ${shown.received}${similar}); or the ` +
            'request is for that name'
          )
        },
        fix: {
          options: known => {
            const similar = known.shown.similar && "; or, if it sets that header itself, host: 'x-forwarded-host'"
            return `Have ${known.found.name} keep Host: ${known.found.keepHost}${similar ?? ''}. ${addHost(known)}`
          },
          flags: known => `Have ${known.found.name} keep Host: ${known.found.keepHost}. ${addHost(known)}`
        },
        examples: [
          { evidence: { proxies: ['CF-Ray: 8a1b-LIS'] } },
          { evidence: { proxies: ['CF-Ray: 8a1b-LIS'], similar: undefined } }
        ]
      }),
      {
        find: ({ evidence }) => evidence.similar !== undefined,
        cause: ({ shown: { received, similar } }) =>
          `a proxy replaced Host with ${received}: the request has ${similar}, which is not trusted`,
        fix: {
          options:
            'If your own proxy sets that header itself (anyone can send it), give the adapter ' +
            "host: 'x-forwarded-host'; or have the proxy keep Host (nginx: proxy_set_header Host $http_host).",
          flags: `${KEEP_HOST}.`
        }
      },
      {
        find: ({ evidence }) => hasName(evidence),
        cause: ({ shown: { received, expected } }) =>
          `the port differs: ${received} was received and ${expected} is configured`,
        fix: ({ shown, setting }) =>
          `If the URL that you gave to the service has that port: ${setting('hosts', shown.received)}. If not, a ` +
          'proxy changed it: have it keep Host (nginx: proxy_set_header Host $http_host).',
        examples: [{ evidence: { received: 'hooks.example.com:8443', similar: undefined } }]
      },
      {
        find: ({ evidence }) => evidence.header !== undefined,
        cause: 'the request is for another receiver, or the proxy writes another name into X-Forwarded-Host',
        fix: ({ shown, setting }) =>
          `Have the proxy send the name that the sender used; add it, ${setting('hosts', shown.received)}, only if ` +
          'the URL that you gave to the service has it.',
        examples: [{ evidence: { header: 'X-Forwarded-Host', similar: undefined } }]
      },
      {
        find: ({ evidence }) => evidence.received === '_',
        cause: 'a proxy replaced Host with _, as nginx does with proxy_set_header Host $server_name (or _)',
        fix: `${KEEP_HOST}.`,
        examples: [{ evidence: { received: '_', similar: undefined } }]
      },
      {
        find: ({ evidence }) => INTERNAL.test(evidence.received),
        cause: ({ shown }) => `a proxy replaced Host with the address that it forwards to (${shown.received})`,
        fix: {
          options: ({ shown, setting }) =>
            `${KEEP_HOST}, or, if it sends X-Forwarded-Host, give the adapter host: 'x-forwarded-host'. Add it, ` +
            `${setting('hosts', shown.received)}, only if the service calls you by that name: a name that was not ` +
            'signed gives signature-mismatch.',
          flags: ({ shown, setting }) =>
            `${KEEP_HOST}. Add it, ${setting('hosts', shown.received)}, only if the service calls you by that name: ` +
            'a name that was not signed gives signature-mismatch.'
        },
        examples: [{ evidence: { similar: undefined } }]
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
        },
        examples: [{ evidence: { received: 'other.example.com', similar: undefined } }]
      }
    ]
  }
})
