import { SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { Code } from '../verdict/codes.ts'
import type { CheckName } from '../verdict/verdict.ts'
import type { ChangedLine } from './changed-line.ts'
import type { Evidence } from './facts.ts'
import type { SettingsLanguage } from './settings.ts'

/** What a cause is found from, besides the evidence. */
export interface Situation {
  settings: SettingsLanguage
  /** the codes of all failures of the verdict */
  codes: ReadonlySet<Code>
  /** for a signature that did not verify: the line that was changed, and whether the key made the signature */
  changed?: ChangedLine | undefined
  isByKey?: boolean | undefined
}

/**
 * A cause and its fix in each row, by code or else by check, and by case. `{received}` is evidence, `{name:hosts}` the name
 * of a setting, `{set:hosts:received}` a setting with evidence as its value; of `[[options||flags]]` the reader sees the
 * half in their language.
 */
export const CAUSES: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ parseTable(`
header | the sender wrote it so, or a proxy changed it: the log of the sender tells which | Have proxies pass every header on unchanged.
request | the {part} {name} was decoded or rebuilt on the way, or it is a broken sender, or an attack | Pass method, target and headers as received, undecoded[[: let an adapter do it||]].
https | TLS ends at a proxy, or the sender used http | If your own proxy sets X-Forwarded-Proto[[, give the adapter||:]] {set:https:proto}; if it accepts only TLS, [[https: true||--https always]].
https/claimed | TLS ends at a proxy: X-Forwarded-Proto: https is there, and is not trusted | If your own proxy sets that header itself (anyone can send it)[[, give the adapter||:]] {set:https:proto}; if the proxy accepts only TLS, [[https: true||--https always]].
https/absent | your proxy sends no {header}, which is to be trusted | Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme), or, if it accepts only TLS, [[https: true||--https always]].
https/http | the sender used http, or a proxy in front of yours ends TLS | Have the sender use https; with two proxies, have the outer one set the header and the inner one keep it.
date-missing | a proxy or CDN dropped it, or the sender did not write it | Have proxies pass Date on unchanged; if the sender has none in its log, have it add one.
past | {clock}: the request was delayed or replayed, or this clock is fast | Run date -u on this machine: if it differs from the true time, mend this machine's clock (NTP); if not, the request is old (or the clock of the sender is slow), and a retry needs a fresh signature.
future | {clock}: the sender's clock is fast, or this one is slow | Run date -u on this machine: if it differs from the true time, mend this machine's clock (NTP); if not, have the sender mend its clock.
host | the request is for another receiver, or a proxy replaced Host, or it is a name of yours that is not configured | Compare it with the URL that you gave to the service. Have the proxy keep Host (nginx: proxy_set_header Host $http_host)[[, or give the adapter host: 'x-forwarded-host'||]]; add it, {set:hosts:received}, only if that URL has it.
host/claimed | a proxy replaced Host with {received}: {similar} is there, and is not trusted | [[If your own proxy sets that header itself (anyone can send it), give the adapter host: 'x-forwarded-host'; or have||Have]] the proxy keep Host (nginx: proxy_set_header Host $http_host).
host/missing | a proxy dropped it | Have the proxy keep Host (nginx: proxy_set_header Host $http_host).
host/unsent | your proxy sends no X-Forwarded-Host, which is to be trusted | Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host)[[, or, if it keeps Host, leave the host option out||]].
host/list | a broken sender or proxy, or an attack | Find out who adds the second one; a receiver cannot tell which of them counts.
forwarded-list | {header} came with more than one value | Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written a part of a list.
host/forwarded | the request is for another receiver, or the proxy writes another name into X-Forwarded-Host | Have the proxy send the name that the sender used; add it, {set:hosts:received}, only if the URL that you gave to the service has it.
host/port | the port differs: {received} was received and {expected} is configured | If the URL that you gave to the service has that port: {set:hosts:received}. If not, a proxy changed it: have it keep Host (nginx: proxy_set_header Host $http_host).
host/internal | a proxy replaced Host with the address that it forwards to ({received}) | Have the proxy keep Host (nginx: proxy_set_header Host $http_host)[[, or, if it sends X-Forwarded-Host, give the adapter host: 'x-forwarded-host'||]]. Add it, {set:hosts:received}, only if the service calls you by that name: a name that was not signed gives signature-mismatch.
account | the service uses another header or prefix | Set {name:accountHeader} and {name:accountPrefix} to what the service sends.
account/similar | {name:accountHeader} is not the header that the service uses: {similar} is there: is that it? | If so: {set:accountHeader:similarName}.
account-missing | the service sends it in another header than {header}, or a proxy dropped it | Set {name:accountHeader} to what the service documents; if that is {header}, have proxies pass it on.
account-repeated | a proxy or the sender wrote it twice | Have proxies pass every header on unchanged.
account-mismatch | the request is for another customer of the service, or for an account of yours that is not configured | If {received} is yours: {set:accounts:received} (now {expected}).
account-mismatch/function | your accounts function returned false | If {received} is yours, have the function return true for it.
account-check-failed | your accounts function threw {error} | Mend it; the sender may try again.
account-check-failed/type | your accounts function does not return a boolean | Return true or false: async id => (await find(id)) !== undefined.
signature-missing | a proxy dropped it: the rest of a signed request is there | Have proxies pass Signature on unchanged.
signature-missing/unsigned | this request is not signed, so it is not from the service: a scanner, a health check, a browser | Nothing to mend. If the service did send it, a proxy drops Signature and Digest: have it pass every header on.
signature-malformed/rfc9421 | it is signed by RFC 9421, not by the draft | If the service says so, allow it: [[schemes: [draftCavage, rfc9421]||--scheme draft-cavage --scheme rfc9421]].
signature-algorithm-not-allowed | the sender uses another algorithm | Have the sender sign with an allowed one: this library has no such algorithm.
signature-algorithm-not-allowed/known | the sender uses another algorithm | If the service says so, add it: {set:algorithms:algorithm}.
signature-times-not-allowed | the sender covers a time that the draft forbids with this algorithm | Have the sender leave (created) and (expires) out of headers, or sign with hs2019.
coverage-insufficient | the sender signs less than the service does, or a name is configured that the service does not sign | Have the sender sign {missing}, or anyone can change it; if the service does not sign it, check {name:accountHeader} and {name:alsoCovered}.
coverage-repeated | a broken sender, or an attack | Have the sender list each name once.
coverage-absent | a proxy removed {absent}, which is signed | Have the proxy pass it on unchanged.
coverage-absent/encoding | a proxy removed Content-Encoding: it decompressed the body | Have the proxy pass the body on compressed (nginx: gunzip off).
coverage-absent/length | a proxy removed Content-Length, which is signed: it dropped the body or sends it in chunks; or a redirect turned POST into GET | Have the proxy pass the body on as it was sent, with its length; give the service the URL to which a redirect leads.
coverage-absent/underscore | a proxy dropped {absent}: many drop names with an underscore | Have the proxy pass them on (nginx: underscores_in_headers on).
coverage-absent/form | {absent}: {reason} | Have the sender sign it in that form.
key-name-malformed | the sender uses another kind of key id, or it is an attack on the resolver | Nothing to mend here: this receiver verifies keys in DNS only.
key-name-outside-domain | somebody else's key, or a wrong {name:serviceDomain} | Set {name:serviceDomain} to the domain that the service documents for its keys (it is now {domain}).
key-name-outside-domain/itself | {name:serviceDomain} is the name of the key itself; keys are under it, never at it | Set {name:serviceDomain} to the service's own domain{above}.
key | the service published a bad record, or it was changed on the way into DNS | Look at it with: {command}; the service must mend it.
key-type-mismatch | the key and the algorithm do not fit: {name:algorithms} lacks one, or the record is bad | Look at it with: {command}; if the service documents such keys, add their algorithm to {name:algorithms}.
key-too-short | the key has {bits} bits, fewer than the RFC allows | Have the service publish a longer key: RFC 8301 forbids fewer than 1024 bits[[ (minRsaBits is {limit})||]].
key-too-short/limit | the key has {bits} bits, and minRsaBits is {limit}: is that above what the service uses? | If the service documents keys of {bits} bits, set minRsaBits to {bits}.
key-too-long | the key has {bits} bits, and [[maxRsaBits is {limit}||at most {limit} are accepted]] | [[If the service documents keys of {bits} bits, set maxRsaBits to {bits}; if not, have||Have]] the service publish another key.
key-not-found | it was withdrawn, is not published yet, or your DNS server cannot see it | Ask again with: {command}; if others see it, it is your DNS server.
key-not-found/other | DNS has the name, and no key record there: the key is not published yet, or a wildcard or another TXT record is in its place | Look at it with: {command}; the service must publish the key.
key-revoked | it was replaced: the request was signed with an old key | Have the request signed with the new key.
lookup | your DNS server, or the network path to it: {error} | Check the resolver and the firewall (UDP and TCP 53; long answers need TCP), with: {command}; the sender may try again.
signature | another key made it (was it replaced?), or a signed line was changed on the way: such a signature does not tell which | Compare the lines below with those that the sender signed: if they are equal, it was the key. Proxies often change the target (a query dropped, a path rewritten), Host and what describes the body.
signature/by-key | the key did make this signature, so a signed line was changed on the way, or more than one | Compare the lines below with those that the sender signed. Proxies often change the target (a query dropped, a path rewritten), Host and what describes the body[[: pass the target as received, such as req.originalUrl||]].
signature/other-key | another key made it: it was replaced under the same name, or this is a forgery | If the service has rotated its key, have the request signed with the new one: {command}. Nothing that a proxy changes looks like this.
changed/prefix | a proxy or router took {detail} off the path | Put it back: {set:prefix:detail}[[ in the adapter||]].
changed/slash | a proxy took {detail} off the path and added a slash, so that a prefix does not restore it | Have it pass the path on as received (nginx: proxy_pass without a path).
changed/url | the target is a whole URL, and the sender signed path and query | [[Pass path and query as received, or let an adapter do it (fromFetchRequest)||Have proxies pass on path and query]].
changed/added | a proxy or router put something in front of the path | Have it pass the path on as received (nginx: proxy_pass without a path).
changed/rewritten | a proxy or router rewrote the target; {detail} has the one that was signed | Have it pass the target on as received[[, and give the adapter the original, such as req.originalUrl||]].
changed/query | the query was dropped or added on the way | Have path and query passed on as received[[, such as req.originalUrl||]].
changed/encoding | the target was decoded or encoded again, or slashes were merged or removed | Have it passed on as received, never rebuilt[[ through URL||]].
changed/method | the method was changed: a redirect turned POST into GET, or a header overrode it | Give the service the URL to which the redirect leads, and have no middleware change the method.
changed/host | a proxy replaced Host | Have the proxy keep Host (nginx: proxy_set_header Host $http_host).
changed/port | a proxy changed the port in Host | Have the proxy keep Host (nginx: proxy_set_header Host $http_host; $host leaves the port out).
changed/protocol | TLS ends at a proxy, and the sender signed https | Have the proxy say so: {set:https:proto}.
changed/length | Content-Length was rewritten: something decoded, decompressed or re-serialized the body | Have proxies and parsers leave the body as it was sent.
changed/charset | Content-Type was rewritten: its charset was added or removed | Have proxies and middleware pass Content-Type on unchanged.
changed/list | the lines of a header were joined, split or repeated | Have proxies pass every header line on unchanged.
changed/character | a part of it was changed | Find what changes it, and have it passed on as received.
digest-missing | a proxy dropped it, or the sender signs no body | Have proxies pass it on; if the sender has none in its log, have it add one.
digest-malformed | a broken sender, or a header that was cut | Have the sender write SHA-256= and base64.
digest-unsupported | an old sender | Have the sender add SHA-256: MD5 and SHA-1 never count.
digest | the body was changed after it was signed | [[Verify the raw bytes, before any body parser or proxy that re-encodes them||Have the bytes passed on as they were sent: no parser and no proxy that re-encodes them in front]].
digest/changed | {how} after it was signed ({known}) | [[Verify the raw bytes, before any body parser or proxy that re-encodes them||Have the bytes passed on as they were sent: no parser and no proxy that re-encodes them in front]].
digest/empty | the body is empty, and was not when it was signed: something else had already read it, or dropped it | [[Verify the raw bytes, before any body parser||Have the body passed on]]; a capture may not have the body at all.
digest/signed-empty | the sender signed an empty body: it hashed before it wrote the body, or a proxy added one | Compare with the log of the sender.
digest/decompressed | something decompressed it (it was signed with Content-Encoding: {decompressed}) | [[Give the adapter the request itself, with no parser in front: express.raw() and express.json() decompress too||Have the proxy pass it on compressed (nginx: gunzip off)]].
digest/cut | the body was cut short after it was signed: {bodyLength} of {contentLength} bytes | Look for a limit on the size of bodies in proxies and parsers, and for connections that break.
digest/shorter | the body was changed after it was signed: parsed and serialized again, cut short, or replaced; it is {size} | If its end is missing, look for a limit on the size of bodies; if not, [[verify the raw bytes, before any parser||have the bytes passed on as they were sent]].
digest/longer | the body was changed after it was signed: decompressed, parsed and serialized again, or replaced; it is {size} | If the sender compresses (Content-Encoding in its log), something in front decompresses; if not, [[verify the raw bytes, before any parser||have the bytes passed on as they were sent]].
body-too-large | a large body, or a flood | Raise {name:maxBodyBytes} if the service sends such bodies (it is now {limit} bytes).
body-unreadable | the connection broke, or the sender was too slow: {error} | Nothing to mend if it is rare: the sender may try again.
replay-store-failed | the replay store failed: {error} | Check that {store} runs, answers in time and is reached from here; the sender may try again.
replayed | the same bytes came again: a retry of the sender (was the answer late?), or an attack | Nothing to mend if the first one was handled: this is what a replay store is for. If handling it failed, [[have your handler call verify.release(verdict), so that a retry is let in||the sender needs to sign a retry afresh]].
`)

function parseTable(table: string): ReadonlyMap<string, readonly string[]> {
  const rows = table.trim().split('\n')
  return new Map(rows.map(row => row.split(' | ')).map(([name = '', ...advice]) => [name, advice]))
}

/** The case of a code, or else of a check. */
export const CASES: Readonly<
  Partial<Record<Code | CheckName, (evidence: Evidence, situation: Situation) => string>>
> = {
  https: ({ header, received }) =>
    header === undefined
      ? 'https'
      : isMissing(received)
        ? 'https/absent'
        : isList(received)
          ? 'forwarded-list'
          : `https/${String(received) === 'https' ? 'claimed' : 'http'}`,
  'date-too-old': () => 'past',
  'date-in-future': () => 'future',
  'signature-created-out-of-range': ({ offsetSeconds }) => (Number(offsetSeconds) < 0 ? 'past' : 'future'),
  'signature-expired': () => 'past',
  host: ({ header, received, expected, similar }) => {
    if (isMissing(received)) return header === undefined ? 'host/missing' : 'host/unsent'
    if (isList(received)) return header === undefined ? 'host/list' : 'forwarded-list'
    if (similar !== undefined) return 'host/claimed'
    const name = withoutPort(received)
    if ([expected].flat().some(ours => withoutPort(ours) === name)) return 'host/port'
    return INTERNAL.test(name) ? 'host/internal' : header === undefined ? 'host' : 'host/forwarded'
  },
  'account-missing': ({ similar }) => (similar === undefined ? 'account-missing' : 'account/similar'),
  'account-malformed': ({ similar }) => (similar === undefined ? 'account' : 'account/similar'),
  'account-mismatch': ({ expected }) => `account-mismatch${expected === undefined ? '/function' : ''}`,
  'account-check-failed': ({ error }) =>
    `account-check-failed${String(error).startsWith('it returned') ? '/type' : ''}`,
  'signature-missing': (_, { codes }) => `signature-missing${isUnsigned(codes) ? '/unsigned' : ''}`,
  'signature-malformed': evidence => (isOtherScheme(evidence) ? 'signature-malformed/rfc9421' : 'header'),
  'signature-algorithm-not-allowed': ({ received }) =>
    `signature-algorithm-not-allowed${ALGORITHMS.has(String(received).toLowerCase()) ? '/known' : ''}`,
  'coverage-absent': ({ absent, reason }) => {
    if (reason !== undefined) return 'coverage-absent/form'
    const found = /content-encoding|content-length|_/.exec([absent].flat().slice(0, 100).join(' '))?.[0] ?? ''
    return `coverage-absent/${found === '_' ? 'underscore' : found.slice(8)}`
  },
  'key-name-outside-domain': ({ received, domain }) =>
    `key-name-outside-domain${String(received).toLowerCase().replace(/\.$/, '') === domain ? '/itself' : ''}`,
  'key-too-short': ({ bits }) => `key-too-short${Number(bits) >= 1024 ? '/limit' : ''}`,
  'key-not-found': ({ reason }) => `key-not-found${/^no key/.test(String(reason)) ? '/other' : ''}`,
  'key-lookup-failed': () => 'lookup',
  'key-lookup-timeout': () => 'lookup',
  signature: (_, { changed, isByKey }) =>
    changed !== undefined
      ? `changed/${changed.change}`
      : isByKey === undefined
        ? 'signature'
        : `signature/${isByKey ? 'by-key' : 'other-key'}`,
  'digest-mismatch': ({ reencoding, change, decompressed, expected, bodyLength, contentLength }) => {
    if (bodyLength === 0) return 'digest/empty'
    if (EMPTY.test(String(expected))) return 'digest/signed-empty'
    if (decompressed !== undefined) return 'digest/decompressed'
    if (change === 'cut-short') return 'digest/cut'
    if (reencoding !== undefined || change !== undefined) return 'digest/changed'
    if (contentLength === undefined || contentLength === bodyLength) return 'digest'
    return Number(bodyLength) < Number(contentLength) ? 'digest/shorter' : 'digest/longer'
  }
}

/** The digests of no bytes. */
const EMPTY = /^(?:47DEQpj8HBSa\+|z4PhNX7vuL3xVChQ1m2A)/

const ALGORITHMS: ReadonlySet<string> = new Set(Object.values(SCHEME_ALGORITHMS).flat())

/** RFC 9110 section 5.3: a list, or several lines joined. */
const isList = (value: Evidence[string]): boolean => String(value).includes(',')
const isMissing = (value: Evidence[string]): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)
const withoutPort = (name: Evidence[string]): string => String(name).toLowerCase().replace(/:\d+$/, '')

/** An IP address, a name without a dot, or one that is only used inside a network. */
const INTERNAL = /^(?:\[[\da-f:.]+\]|[\d.]+|[^.]+|.+\.(?:internal|local|localhost|lan|svc|cluster\.local))$/

/** Nothing of a signed request is there. */
export const isUnsigned = (codes: ReadonlySet<Code>): boolean =>
  codes.has('signature-missing') && codes.has('digest-missing') && codes.has('account-missing')

/** A Signature that reads like a dictionary of structured fields, `sig1=:...:` (RFC 9421 section 4.2). */
export const isOtherScheme = ({ excerpt }: Evidence): boolean =>
  /^[a-z*][a-z0-9_.*-]*=:/.test(String(excerpt))
