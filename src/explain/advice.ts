import { SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { Failure } from '../verdict/verdict.ts'
import { CAUSES } from './causes.ts'
import { type Search, withoutPort } from './changed-line.ts'
import { compareWithClock, type Evidence, inWords, lengths, textOf } from './facts.ts'
import { type SettingsLanguage, showSetting } from './settings.ts'
import { escapeText } from './text.ts'

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

const ALGORITHMS: readonly string[] = Object.values(SCHEME_ALGORITHMS).flat()

/**
 * The likely cause and the fix.
 *
 * @param known what a cause is found from, besides the evidence
 */
export function adviceOn(
  { code, check }: Failure,
  evidence: Evidence,
  settings: SettingsLanguage,
  known: Search & Readonly<Record<string, unknown>>
): { cause: string; fix: string } {
  const { expected = [], bodyLength, offsetSeconds } = evidence
  const error = String(evidence['error'])
  const bodyChange = String(evidence['reencoding'] ?? evidence['change'] ?? '')
  const domain = String(evidence['domain'])
  // DKIM publishes keys at `<selector>._domainkey.<domain>` (RFC 6376 section 3.6.2.1).
  const [, above = domain.slice(domain.indexOf('.') + 1)] = domain.split('._domainkey.')
  const name = String(evidence['name'] ?? evidence['keyId'])
  // The same server as was asked, which need not be the system's.
  const asked = String([evidence['servers']].flat()[0])
  const server = /^[\d.]+(?::\d+)?$|^\[[\da-f:]+\]:\d+$/.test(asked) ? ` --dns-server ${asked}` : ''
  const received = String(evidence['received']).toLowerCase()
  const values: Readonly<Record<string, unknown>> = {
    ...evidence,
    ...known,
    sameName:
      check === 'host' && [expected].flat().some(name => withoutPort(`${name}`) === withoutPort(received)),
    algorithm: ALGORITHMS.includes(received) ? received : '',
    similarName: String(evidence['similar']).split(':', 1)[0],
    itself: received.replace(/\.$/, '') === domain,
    isLong: Number(evidence['bits']) >= 1024,
    bodyChange,
    how: BODY_CHANGES[bodyChange],
    // DNS over HTTPS, too, says ECONNREFUSED for any failure of the connection.
    error: check === 'key' && error === 'ECONNREFUSED' ? `${error}, it is not reached` : inWords(error),
    store: evidence['store'] ?? 'the store',
    above: above.includes('.') ? `, such as ${above}` : '',
    // Only a name that a shell takes as it is.
    command: `npx signed-requests key ${/^[\w][\w.-]{0,252}$/.test(name) ? name : 'NAME'}${server}`,
    clock: offsetSeconds && compareWithClock(evidence),
    size: bodyLength && lengths(Number(bodyLength), evidence['contentLength'])
  }
  const fill = (part: string): string =>
    part
      .replace(/\[\[(.*?)\|\|(.*?)\]\]/g, settings === 'flags' ? '$2' : '$1')
      .replace(/\{(?:(name|set):)?(\w+)(?::([\w-]+))?\}/g, (_, kind?: string, word = '', value?: string) =>
        kind === undefined
          ? escapeText(textOf(values[word], 10))
          : showSetting(settings, word, value && String(values[value] ?? value))
      )
  const holds = (condition: string): boolean => {
    const [name = '', pattern = '.'] = condition.split('=')
    return new RegExp(pattern, 'is').test(textOf(values[name], 100))
  }
  const rows = CAUSES.trim().split('\n')
  const [, cause = '', fix = ''] = rows
    .map(row => row.split(' | '))
    .find(([when = '']) => {
      const [names = '', ...conditions] = when.split(' ')
      return names.split(',').some(name => [code, check, '*'].includes(name)) && conditions.every(holds)
    })!
  const line = known.changed ? `line ${known.changed.line} was changed after it was signed: ` : ''
  return { cause: line + fill(cause), fix: fill(fix) }
}
