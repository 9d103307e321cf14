import { cdnIn } from '../cdn.ts'
import type { LineChange } from '../changed-line.ts'
import { fact, longFact, recordFacts } from '../facts.ts'
import { escapeText } from '../text.ts'
import type { ConditionalCause, EntriesOf, Known, LastCause } from './entry.ts'
import { keyCommand } from './key.ts'

/** Says how the CDN in front, or else nginx, keeps Host. */
function keepHost({ evidence }: Known<'signature-mismatch'>, nginx: string): string {
  const cdn = cdnIn(evidence.proxies)
  return cdn === undefined
    ? `Have the proxy keep Host (nginx: ${nginx}).`
    : `Have ${cdn.name} keep Host: ${cdn.keepHost}.`
}

const HTTP_HOST = 'proxy_set_header Host $http_host'

const isLowerCase = (line = ''): boolean => line === line.toLowerCase()

/** Explains each change of the one line that was changed on the way, where it was found. */
const BY_CHANGE: Readonly<Record<LineChange, LastCause<'signature-mismatch'>>> = {
  prefix: {
    cause: ({ search }) => `a proxy or router took ${search.detail} off the path`,
    fix: {
      options: ({ search, setting }) => `Put it back: ${setting('prefix', search.detail)} in the adapter.`,
      flags: ({ search, setting }) => `Put it back: ${setting('prefix', search.detail)}.`
    }
  },
  slash: {
    cause: {
      options: ({ search }) =>
        `a proxy or router took ${search.detail} off the path and added a slash, so that a prefix does not restore it`,
      flags: ({ search }) =>
        `a proxy took ${search.detail} off the path and added a slash, so that a prefix does not restore it`
    },
    fix: {
      options: 'Have the path passed on as received (nginx: proxy_pass without a path; Express: req.originalUrl).',
      flags: 'Have the path passed on as received (nginx: proxy_pass without a path).'
    }
  },
  url: {
    cause: 'the target is a whole URL, and the sender signed path and query',
    fix: {
      options: 'Pass path and query as received, or let an adapter do it (fromFetchRequest).',
      flags: 'Have proxies pass on path and query.'
    }
  },
  added: {
    cause: ({ setting }) =>
      `a proxy or router put something in front of the path, or ${setting('prefix')} is set and nothing was taken off`,
    fix: ({ setting }) =>
      'Have the path passed on as received (nginx: proxy_pass without a path), and leave ' +
      `${setting('prefix')} out if nothing is taken off.`
  },
  rewritten: {
    cause: ({ search }) => `a proxy or router rewrote the target; ${search.detail} has the one that was signed`,
    fix: {
      options: 'Have it pass the target on as received, and give the adapter the original, such as req.originalUrl.',
      flags: 'Have it pass the target on as received.'
    }
  },
  query: {
    cause: 'the query was dropped or added on the way',
    fix: {
      options: 'Have path and query passed on as received, such as req.originalUrl.',
      flags: 'Have path and query passed on as received.'
    }
  },
  encoding: {
    cause: 'the target was decoded or encoded again, or slashes were merged or removed',
    fix: {
      options: 'Have it passed on as received, never rebuilt through URL.',
      flags: 'Have it passed on as received, never rebuilt.'
    }
  },
  case: {
    cause: 'capital letters were put in lower case',
    fix: 'Have the path passed on as received, or give the service a URL in lower case.'
  },
  'host-case': {
    cause: ({ search }) =>
      isLowerCase(search.changed?.received)
        ? "capital letters of Host were put in lower case, as nginx's $host does"
        : 'the letters of Host were put in another case',
    fix: known => keepHost(known, `${HTTP_HOST}; $host is in lower case`)
  },
  order: {
    cause: 'the parameters of the query were put in another order',
    fix: 'Have the query passed on as received: no proxy or cache that sorts it.'
  },
  method: {
    cause: 'the method was changed: a redirect turned POST into GET, or a header overrode it',
    fix: 'Give the service the URL to which the redirect leads, and have no middleware change the method.'
  },
  host: {
    cause: ({ evidence }) => `${cdnIn(evidence.proxies)?.name ?? 'a proxy'} replaced Host`,
    fix: known => keepHost(known, HTTP_HOST)
  },
  port: {
    cause: 'a proxy changed the port in Host',
    fix: known => keepHost(known, `${HTTP_HOST}; $host leaves the port out`)
  },
  protocol: {
    cause: 'TLS ends at a proxy, and the sender signed https',
    fix: ({ setting }) => `Have the proxy say so: ${setting('https', 'x-forwarded-proto')}.`
  },
  length: {
    cause: 'Content-Length was rewritten: something decoded, decompressed or re-serialized the body',
    fix: 'Have proxies and parsers leave the body as it was sent.'
  },
  type: {
    cause: 'Content-Type was rewritten: the type, or its charset',
    fix: 'Have proxies and middleware pass Content-Type on unchanged.'
  },
  list: {
    cause: 'the lines of a header were joined, split or repeated',
    fix: 'Have proxies pass every header line on unchanged.'
  },
  character: {
    cause: 'a part of it was changed',
    fix: 'Find what changes it, and have it passed on as received.'
  }
}

/** What the search has found besides the change, where a cause names it. */
const DETAILS: Partial<Record<LineChange, string>> = { prefix: '/api', slash: '/api', rewritten: 'x-original-uri' }

const changedLines = (): ConditionalCause<'signature-mismatch'>[] =>
  (Object.keys(BY_CHANGE) as LineChange[]).map(change => {
    const detail = DETAILS[change]
    return {
      find: ({ search }) => search.change === change,
      ...BY_CHANGE[change],
      examples: [{ search: { change, ...(detail !== undefined && { detail }) } }]
    }
  })

/** The command that says which key made the signature of a captured request. */
const tryEachRecord = ({ keyId }: { keyId: string }): string => `${keyCommand({ name: keyId })} --request FILE`

function signedLines(signingString: string): string {
  const lines = signingString.split('\n').map((line, i) => (i < 100 ? escapeText(line, 600) : '...'))
  return lines.slice(0, 101).join('\n')
}

export const signatureEntries = (): EntriesOf<'signature'> => ({
  'signature-mismatch': {
    about:
      'The key from DNS does not verify this signature over the lines that were received. The evidence has the signing ' +
      'string as rebuilt here, in `records` the keys that were tried, where a name has several, and in `forwarded` the ' +
      'headers in which proxies say what they changed; `diagnose` finds the changed line from them.',
    example: {
      signingString: '(request-target): post /hook\nhost: ...',
      keyId: 'key1._domainkey.service.example',
      algorithm: 'rsa-sha256',
      record: 'v=DKIM1; ...',
      signature: '...'
    },
    facts: ({ keyId, algorithm, record, records, signingString }) => [
      ...fact('keyId', keyId),
      ...fact('algorithm', algorithm),
      ...recordFacts(record, records),
      ...longFact('signingString', 'signing string', signedLines(signingString))
    ],
    causes: [
      ...changedLines(),
      {
        find: ({ search }) => search.isByKey === true,
        examples: [{ search: { isByKey: true } }],
        cause: 'the key did make this signature, so a signed line was changed on the way, or more than one',
        fix: {
          options: ({ setting }) =>
            'Compare the lines below with those that the sender signed. Proxies often change the target (a part of the ' +
            `path stripped, which ${setting('prefix')} puts back; a query dropped, a path rewritten), Host and what ` +
            'describes the body: pass the target as received, such as req.originalUrl.',
          flags: ({ setting }) =>
            'Compare the lines below with those that the sender signed. Proxies often change the target (a part of the ' +
            `path stripped, which ${setting('prefix')} puts back; a query dropped, a path rewritten), Host and what ` +
            'describes the body.'
        }
      },
      {
        find: ({ search }) => search.isByKey === false,
        examples: [{ search: { isByKey: false } }],
        cause: 'another key made it: it was replaced under the same name, or this is a forgery',
        fix: ({ evidence }) =>
          `See whether a record of another name server made it: ${tryEachRecord(evidence)}. If the service has rotated ` +
          'its key, have the request signed with the new one. No change by a proxy looks like this.'
      },
      {
        cause:
          'another key made it (was it replaced?), or a signed line was changed on the way: this kind of signature ' +
          'does not show which',
        fix: ({ evidence }) =>
          `See whether a record of another name server made it: ${tryEachRecord(evidence)}. If none did, compare the ` +
          'lines below with those that the sender signed: if they are equal, it was the key. Proxies often change the ' +
          'target (a query dropped, a path rewritten), Host and what describes the body.'
      }
    ]
  }
})
