import type { EvidenceByCode } from '../../result/evidence.ts'
import { cdnIn } from '../cdn.ts'
import type { LineChange } from '../changed-line.ts'
import type { Cause, Causes } from './row.ts'

/** How the CDN in front, or else nginx, keeps Host. */
function keepHost({ proxies }: EvidenceByCode['signature-mismatch'], why?: string): string {
  const cdn = cdnIn(proxies)
  const nginx = `nginx: proxy_set_header Host $http_host${why === undefined ? '' : `; ${why}`}`
  return cdn === undefined ? `Have the proxy keep Host (${nginx}).` : `Have ${cdn.name} keep Host: ${cdn.keepHost}.`
}

const isLowerCase = (line = ''): boolean => line === line.toLowerCase()

/** What happened to the one line that was changed on the way, where it was found. */
const BY_CHANGE: Readonly<Record<LineChange, Cause<'signature-mismatch'>>> = {
  prefix: {
    cause: (_, __, { around }) => `a proxy or router took ${around.search.detail} off the path`,
    fix: (_, { either, setting }, { around }) =>
      `Put it back: ${setting('prefix', around.search.detail)}${either(' in the adapter', '')}.`
  },
  slash: {
    cause: (_, { either }, { around }) =>
      `a proxy${either(' or router', '')} took ${around.search.detail} off the path and added a slash, so that a ` +
      'prefix does not restore it',
    fix: (_, { either }) =>
      'Have the path passed on as received (nginx: proxy_pass without a path' +
      `${either('; Express: req.originalUrl', '')}).`
  },
  url: {
    cause: 'the target is a whole URL, and the sender signed path and query',
    fix: (_, { either }) =>
      either(
        'Pass path and query as received, or let an adapter do it (fromFetchRequest).',
        'Have proxies pass on path and query.'
      )
  },
  added: {
    cause: (_, { setting }) =>
      `a proxy or router put something in front of the path, or ${setting('prefix')} is set and nothing was taken off`,
    fix: (_, { setting }) =>
      'Have the path passed on as received (nginx: proxy_pass without a path), and leave ' +
      `${setting('prefix')} out if nothing is taken off.`
  },
  rewritten: {
    cause: (_, __, { around }) =>
      `a proxy or router rewrote the target; ${around.search.detail} has the one that was signed`,
    fix: (_, { either }) =>
      'Have it pass the target on as received' +
      `${either(', and give the adapter the original, such as req.originalUrl', '')}.`
  },
  query: {
    cause: 'the query was dropped or added on the way',
    fix: (_, { either }) => `Have path and query passed on as received${either(', such as req.originalUrl', '')}.`
  },
  encoding: {
    cause: 'the target was decoded or encoded again, or slashes were merged or removed',
    fix: (_, { either }) => `Have it passed on as received, never rebuilt${either(' through URL', '')}.`
  },
  case: {
    cause: 'capital letters were put in lower case',
    fix: 'Have the path passed on as received, or give the service a URL in lower case.'
  },
  'host-case': {
    cause: (_, __, { around }) =>
      isLowerCase(around.search.changed?.received)
        ? "capital letters of Host were put in lower case, as nginx's $host does"
        : 'the letters of Host were put in another case',
    fix: (_, __, { evidence }) => keepHost(evidence, '$host is in lower case')
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
    cause: (_, __, { evidence }) => `${cdnIn(evidence.proxies)?.name ?? 'a proxy'} replaced Host`,
    fix: (_, __, { evidence }) => keepHost(evidence)
  },
  port: {
    cause: 'a proxy changed the port in Host',
    fix: (_, __, { evidence }) => keepHost(evidence, '$host leaves the port out')
  },
  protocol: {
    cause: 'TLS ends at a proxy, and the sender signed https',
    fix: (_, { setting }) => `Have the proxy say so: ${setting('https', 'x-forwarded-proto')}.`
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

const changedLines = () =>
  (Object.keys(BY_CHANGE) as LineChange[]).map(change => ({
    when: (_: unknown, { search }: { search: { change?: LineChange } }) => search.change === change,
    ...BY_CHANGE[change]
  }))

export const signatureCauses = (): { readonly 'signature-mismatch': Causes<'signature-mismatch'> } => ({
  'signature-mismatch': [
    ...changedLines(),
    {
      when: (_, { search }) => search.isByKey === true,
      cause: 'the key did make this signature, so a signed line was changed on the way, or more than one',
      fix: (_, { either, setting }) =>
        'Compare the lines below with those that the sender signed. Proxies often change the target (a part of the ' +
        `path stripped, which ${setting('prefix')} puts back; a query dropped, a path rewritten), Host and what ` +
        `describes the body${either(': pass the target as received, such as req.originalUrl', '')}.`
    },
    {
      when: (_, { search }) => search.isByKey === false,
      cause: 'another key made it: it was replaced under the same name, or this is a forgery',
      fix: ({ keyId }) =>
        'If the service has rotated its key, have the request signed with the new one: ' +
        `npx signed-requests key ${keyId}. Nothing that a proxy changes looks like this.`
    },
    {
      cause:
        'another key made it (was it replaced?), or a signed line was changed on the way: such a signature does not ' +
        'tell which',
      fix:
        'Compare the lines below with those that the sender signed: if they are equal, it was the key. Proxies often ' +
        'change the target (a query dropped, a path rewritten), Host and what describes the body.'
    }
  ]
})
