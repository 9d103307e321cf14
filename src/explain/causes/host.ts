import type { EvidenceByCode } from '../../result/evidence.ts'
import { cdnIn } from '../cdn.ts'
import { isSameName, withoutPort } from '../changed-line.ts'
import type { Causes, ConditionalCause } from './row.ts'

const KEEP_HOST = 'Have the proxy keep Host (nginx: proxy_set_header Host $http_host)'

/** X-Forwarded-Host with several values. */
const FORWARDED_LIST: ConditionalCause<'host-repeated' | 'host-mismatch'> = {
  when: ({ header, received }) => header !== undefined && received.includes(','),
  cause: ({ header }) => `${header} came with more than one value`,
  fix:
    'Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written a part ' +
    'of a list.'
}

const SECOND_HOST = {
  cause: (_: unknown, { either }: { either(options: string, flags: string): string }): string =>
    'a broken sender or proxy, or an attack' +
    either('; or the platform changes request.url, whose host fromFetchRequest adds', ''),
  fix: (_: unknown, { either }: { either(options: string, flags: string): string }): string =>
    'Find out who adds the second one; a receiver cannot tell which of them counts.' +
    either(" If it is the host of request.url: fromFetchRequest(request, { host: 'header' }).", '')
}

/** An address, a name without a dot, or a name that only an internal network has. */
const INTERNAL = /^(?:\[[\da-f:.]+]|[\d.]+|[^.:]+|.+\.(?:internal|local|localhost|lan|svc|cluster\.local))(?::\d+)?$/i

/** The configured name that is this one with a port; the name itself where there is none. */
const withPortOf = (expected: readonly string[], received: string): string =>
  expected.find(name => name !== withoutPort(name) && isSameName(withoutPort(name), received)) ?? ''

/** Is it one of the names, on whatever port? */
const hasName = (expected: readonly string[], received: string): boolean =>
  expected.some(name => isSameName(withoutPort(name), withoutPort(received)))

/** Is it another name than the receiver's, from the Host header itself? */
const isReplaced = ({ received, expected, header }: EvidenceByCode['host-mismatch']): boolean =>
  header === undefined && !hasName(expected, received)

export const hostCauses = (): {
  readonly [C in 'host-missing' | 'host-repeated' | 'host-mismatch']: Causes<C>
} => ({
  'host-missing': [
    {
      when: ({ header }) => header !== undefined,
      cause: 'your proxy sends no X-Forwarded-Host, which is to be trusted',
      fix: (_, { either }) =>
        'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host)' +
        `${either(', or, if it keeps Host, leave the host option out', '')}.`
    },
    { cause: 'a proxy dropped it', fix: `${KEEP_HOST}.` }
  ],
  'host-repeated': [FORWARDED_LIST, SECOND_HOST],
  'host-mismatch': [
    FORWARDED_LIST,
    { when: ({ received }) => received.includes(','), ...SECOND_HOST },
    {
      when: ({ received, expected }) =>
        withoutPort(received) === received && expected.includes(withPortOf(expected, received)),
      cause: ({ received }, _, { evidence }) =>
        `the port of Host was dropped on the way: ${received} was received, and ` +
        `${withPortOf(evidence.expected, evidence.received)} is configured (nginx: $host leaves the port out)`,
      fix: ({ received }, { setting }) =>
        `${KEEP_HOST}. If the URL that you gave to the service has no port: ${setting('hosts', received)}.`
    },
    {
      when: evidence => isReplaced(evidence) && cdnIn(evidence.proxies) !== undefined,
      cause: ({ received, similar }, _, { evidence }) =>
        `${cdnIn(evidence.proxies)?.name} is in front, and a CDN may replace Host (received ${received}` +
        `${similar === undefined ? '' : `; ${similar} is there, and is not trusted`}); or the request is for that name`,
      fix: ({ received, similar }, { either, setting }, { evidence }) =>
        `Have ${cdnIn(evidence.proxies)?.name} keep Host: ${cdnIn(evidence.proxies)?.keepHost}` +
        (similar === undefined ? '' : either("; or, if it sets that header itself, host: 'x-forwarded-host'", '')) +
        `. Add the name, ${setting('hosts', received)}, only if the URL that you gave to the service has it.`
    },
    {
      when: ({ similar }) => similar !== undefined,
      cause: ({ received, similar }) =>
        `a proxy replaced Host with ${received}: ${similar} is there, and is not trusted`,
      fix: (_, { either }) =>
        either(
          'If your own proxy sets that header itself (anyone can send it), give the adapter ' +
            "host: 'x-forwarded-host'; or have the proxy keep Host (nginx: proxy_set_header Host $http_host).",
          `${KEEP_HOST}.`
        )
    },
    {
      when: ({ received, expected }) => hasName(expected, received),
      cause: ({ received, expected }) => `the port differs: ${received} was received and ${expected} is configured`,
      fix: ({ received }, { setting }) =>
        `If the URL that you gave to the service has that port: ${setting('hosts', received)}. If not, a proxy ` +
        'changed it: have it keep Host (nginx: proxy_set_header Host $http_host).'
    },
    {
      when: ({ header }) => header !== undefined,
      cause: 'the request is for another receiver, or the proxy writes another name into X-Forwarded-Host',
      fix: ({ received }, { setting }) =>
        `Have the proxy send the name that the sender used; add it, ${setting('hosts', received)}, only if the URL ` +
        'that you gave to the service has it.'
    },
    {
      when: ({ received }) => received === '_',
      cause: 'a proxy replaced Host with _, as nginx does with proxy_set_header Host $server_name (or _)',
      fix: `${KEEP_HOST}.`
    },
    {
      when: ({ received }) => INTERNAL.test(received),
      cause: ({ received }) => `a proxy replaced Host with the address that it forwards to (${received})`,
      fix: ({ received }, { either, setting }) =>
        KEEP_HOST +
        either(", or, if it sends X-Forwarded-Host, give the adapter host: 'x-forwarded-host'", '') +
        `. Add it, ${setting('hosts', received)}, only if the service calls you by that name: a name that was not ` +
        'signed gives signature-mismatch.'
    },
    {
      cause:
        'the request is for another receiver, or a proxy replaced Host, or it is a name of yours that is not ' +
        'configured',
      fix: ({ received }, { either, setting }) =>
        `Compare it with the URL that you gave to the service. ${KEEP_HOST}` +
        either(", or give the adapter host: 'x-forwarded-host'", '') +
        `; add it, ${setting('hosts', received)}, only if that URL has it.`
    }
  ]
})
