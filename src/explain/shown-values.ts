import { HEADERS_READ } from '../core/result/codes.ts'
import type { Memory } from '../core/verdict/memory.ts'
import type { Search } from './changed-line.ts'

/** Headers in which proxies name themselves, and say what they changed: an explanation depends on them. */
const OF_PROXIES = [
  'via',
  'cdn-loop',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-uri',
  'x-original-host',
  'x-original-uri',
  'x-original-url',
  'x-rewrite-url',
  'x-envoy-original-path'
]

/**
 * Headers that describe the request and that no proxy fills with a secret. Services sign them: without their values, an
 * explanation could not find the line that was changed on the way.
 */
const OF_REQUEST = ['content-encoding', 'content-length', 'content-type', 'x-nonce']

/** Headers whose values a check or an explanation reads. No proxy in front puts a secret there. */
export const DESCRIBING: readonly string[] = [...Object.values(HEADERS_READ).flat(), ...OF_PROXIES, ...OF_REQUEST]

const SECRET: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Decides whether an explanation shows the value of a line of the signing string, by the name in lower case. */
export type ShowsValue = (name: string) => boolean

/** Shows what is not a secret to a person who has the request. */
export const showsToOwner: ShowsValue = name => !SECRET.has(name)

/**
 * Shows the values that a log may have. Anybody can list any header as covered, also one in which a proxy in front
 * gives the application a secret: it is shown only where the service has signed it.
 */
export function showsInLog({ change }: Search, settings: Memory['settings'] | undefined): ShowsValue {
  const isEachSigned = change !== undefined && change !== 'line-left-out'
  const known = [...DESCRIBING, ...(settings === undefined ? [] : [settings.accountHeader, ...settings.alsoCovered])]
  return name => !SECRET.has(name) && (isEachSigned || /^[(@]/.test(name) || known.includes(name))
}
