import { SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { Code } from '../verdict/codes.ts'
import type { CheckName } from '../verdict/verdict.ts'
import { findCause } from './causes.ts'
import type { Search } from './changed-line.ts'
import { compareWithClock, type Evidence, lengths, textOf } from './facts.ts'
import { type SettingsLanguage, showSetting } from './settings.ts'
import { escapeText } from './text.ts'

/** What a cause is found from, besides the evidence. */
export interface Situation extends Search {
  settings: SettingsLanguage
  /** nothing of a signed request is there */
  unsigned: boolean
  /** Signature is that of RFC 9421, and not that of the draft */
  rfc9421: boolean
  /** what is signed, and is not there */
  absent: readonly string[]
}

/** How a body was changed, by `Reencoding` or `BodyChange`. */
const BODY_CHANGES: Evidence = {
  'newline-removed': 'a newline at its end was removed',
  'newline-added': 'a newline was added at its end',
  'crlf-to-lf': 'its line breaks were changed from CRLF to LF',
  'lf-to-crlf': 'its line breaks were changed from LF to CRLF',
  'bom-removed': 'the byte order mark at its start was removed',
  'bom-added': 'a byte order mark was added at its start',
  'json-reserialized': 'a JSON parser read it, and it was serialized again',
  'form-reserialized': 'a form parser read it, and it was serialized again',
  'latin1-as-utf8': 'its UTF-8 was read as Latin-1 and written as UTF-8',
  'utf8-as-latin1': 'it was read as UTF-8 and written as Latin-1',
  'base64-encoded': 'it was encoded in base64, or not decoded,',
  'json-string': 'it was serialized as a JSON string',
  'read-as-text': 'it was read as text, and has U+FFFD for bytes that are not UTF-8,',
  'object-to-string': 'a parsed body was converted to a string'
}

/** What the codes of errors mean. */
export const ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'there is no such name in DNS',
  EAI_AGAIN: 'DNS does not answer',
  EHOSTUNREACH: 'the network does not reach it',
  ETIMEDOUT: 'the network does not reach it',
  ETIMEOUT: 'no answer',
  ESERVFAIL: 'the DNS server got no answer itself',
  EREFUSED: 'the DNS server does not serve this machine',
  EBADRESP: 'the answer is not one of DNS',
  ENOTAUTHENTICATED: 'the zone is not signed, or the resolver does not validate',
  READONLY: 'it is a replica, which takes no writes',
  OOM: 'its memory is full',
  NOAUTH: 'it asks for a password',
  LOADING: 'it is still starting',
  25006: 'it takes no writes',
  53100: 'its disk is full',
  '42P01': 'the table is not there',
  '28P01': 'the password is wrong'
}

/** DNS over HTTPS, too, says ECONNREFUSED for any failure of the connection. */
const inWords = (error: string, check: CheckName): string => {
  const words = check === 'key' && error === 'ECONNREFUSED' ? 'it is not reached' : ERRORS[error]
  return Object.hasOwn(ERRORS, error) ? `${error}, ${words}` : error
}

const ALGORITHMS: ReadonlySet<string> = new Set(Object.values(SCHEME_ALGORITHMS).flat())

/** An IP address, a name without a dot, or one that is only used inside a network. */
const INTERNAL = /^(?:\[[\da-f:.]+\]|[\d.]+|[^.]+|.+\.(?:internal|local|localhost|lan|svc|cluster\.local))$/

const withoutPort = (name: Evidence[string]): string => String(name).toLowerCase().replace(/:\d+$/, '')

/** The likely cause and the fix. */
export function adviceOn(
  code: Code,
  check: CheckName,
  evidence: Evidence,
  { settings, changed, ...situation }: Situation
): { cause: string; fix: string } {
  const { received, error, bodyLength, contentLength, offsetSeconds } = evidence
  const known = evidence['reencoding'] ?? evidence['change']
  const name = String(evidence['name'] ?? evidence['keyId'])
  const domain = String(evidence['domain'])
  // DKIM publishes keys at `<selector>._domainkey.<domain>` (RFC 6376 section 3.6.2.1).
  const [, above = domain.slice(domain.indexOf('.') + 1)] = domain.split('._domainkey.')
  const host = withoutPort(received)
  // The same server as was asked, which need not be the system's.
  const asked = String([evidence['servers']].flat()[0])
  const server = /^[\d.]+(?::\d+)?$|^\[[\da-f:]+\]:\d+$/.test(asked) ? ` --dns-server ${asked}` : ''
  const algorithm = String(received).toLowerCase()
  const values: Readonly<Record<string, unknown>> = {
    ...situation,
    ...evidence,
    name: evidence['name'] ?? '',
    proto: 'x-forwarded-proto',
    sameName: check === 'host' && [evidence['expected']].flat().some(ours => withoutPort(ours) === host),
    internal: INTERNAL.test(host),
    algorithm: ALGORITHMS.has(algorithm) ? algorithm : '',
    similarName: String(evidence['similar']).split(':', 1)[0],
    isSigned: situation.absent.includes(String(evidence['header']).toLowerCase()),
    itself: algorithm.replace(/\.$/, '') === domain,
    allowed: Number(evidence['bits']) >= 1024,
    known,
    how: BODY_CHANGES[String(known)],
    error: inWords(String(error), check),
    store: evidence['store'] ?? 'the store',
    above: above.includes('.') ? `, such as ${above}` : '',
    // Only a name that a shell takes as it is.
    command: `npx signed-requests key ${/^[\w][\w.-]{0,252}$/.test(name) ? name : 'NAME'}${server}`,
    asked,
    overHttps: evidence['servers'] !== undefined && !/^[\d.:[\]a-f]*$/i.test(asked),
    clock: offsetSeconds && compareWithClock(evidence),
    size: bodyLength && lengths(Number(bodyLength), contentLength)
  }
  const fill = (part: string): string =>
    part
      .replace(/\[\[(.*?)\|\|(.*?)\]\]/g, settings === 'flags' ? '$2' : '$1')
      .replace(/\{(?:(name|set):)?(\w+)(?::(\w+))?\}/g, (_, kind?: string, word = '', value?: string) =>
        kind === undefined
          ? escapeText(textOf(values[word], 10))
          : showSetting(settings, word, value && String(values[value]))
      )
  const { cause, fix } = findCause(code, check, values)
  const line = changed === undefined ? '' : `line ${changed.line} was changed after it was signed: `
  return { cause: line + fill(cause), fix: fill(fix) }
}
