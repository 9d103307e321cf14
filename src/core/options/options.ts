import { isHost } from '../http/uri.ts'
import { RSA_BITS } from '../key/rsa-der.ts'
import type { LookupTxt } from '../key/types.ts'
import { named, optionMistake, ownOptions } from '../mistakes.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { Algorithm } from '../signature/algorithms.ts'
import { draftCavage } from '../standards/draft-cavage/scheme.ts'
import type { Scheme } from '../standards/scheme.ts'
import { DEFAULTS } from './defaults.ts'
import * as values from './values.ts'

/** Says whose requests are accepted, and how strictly. `createVerifier` throws a `TypeError` for a bad option. */
export interface VerifierOptions {
  /**
   * the domain of the service's keys: keyId must be a subdomain of it, not the domain itself. A single label such as
   * `com` is refused. Never write a domain under which the public registers names, such as `co.uk`: anyone could sign
   */
  serviceDomain: string
  /**
   * the receiver's own host names: `name` means the default port (443; 80 too when HTTPS is not required), `name:8443`
   * that port
   */
  hosts: string | readonly string[]
  /**
   * the account ids to accept, without the prefix. A function is asked only after the signature has verified; one that
   * throws, rejects or gives anything but true or false makes the verdict unavailable
   */
  accounts: values.Accounts
  /** the header that carries the account, under the service's brand; `X-Service-ID` by default */
  accountHeader?: string | undefined
  /** the text before the account id; `account-` by default */
  accountPrefix?: string | undefined
  /** refuses requests that did not arrive over TLS; true by default */
  requireHttps?: boolean | undefined
  /** seconds that Date, created and expires may be from now, either way; 300 by default, at most 86400 */
  dateTolerance?: number | undefined
  /**
   * The standards to accept; `[draftCavage]` by default. With `rfc9421` of `signed-requests/rfc9421` in the list, a
   * request with Signature-Input is verified by that alone.
   */
  schemes?: readonly Scheme[] | undefined
  /**
   * The signature algorithms to accept; by default `rsa-sha256` for the draft, and for RFC 9421 `rsa-v1_5-sha256`,
   * `rsa-pss-sha512` and `ed25519`.
   */
  algorithms?: readonly Algorithm[] | undefined
  /** names that must be signed in addition to the required ones; none by default */
  alsoCovered?: readonly string[] | undefined
  /** bits of the shortest RSA key to accept; 1024 by default, and at least that (RFC 8301) */
  minRsaBits?: number | undefined
  /** bits of the longest RSA key to accept; 8192 by default */
  maxRsaBits?: number | undefined
  /** bytes of the longest body to accept, streamed or given: above it `body-too-large`; 10485760 by default */
  maxBodyBytes?: number | undefined
  /** milliseconds for a streamed body, from the first read to its end: past it `body-unreadable`; 30000 by default */
  bodyTimeout?: number | undefined
  /** finds the TXT records of a name, as `resolveTxt` of `node:dns/promises` does; `dnsTxtLookup()` by default */
  lookupTxt?: LookupTxt | undefined
  /** milliseconds for one lookup, however the resolver behaves; 5000 by default */
  lookupTimeout?: number | undefined
  /** where accepted requests are remembered, so that each is accepted once; none by default */
  replayStore?: ReplayStore | undefined
  /** milliseconds that the replay store may take; 1000 by default */
  replayTimeout?: number | undefined
  /** keeps every request that is not verified as a fixture, such as `createRecorder()` makes; none by default */
  recorder?: values.RequestRecorder | undefined
  /** the clock, in milliseconds since 1970; `Date.now()` by default, so the fake timers of a test runner count */
  now?: (() => number) | undefined
}

export type OptionName = keyof VerifierOptions

/** Options that have no default, with an example of each. */
const REQUIRED = { serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' } as const

/** Makes the value that the checks use. `given` holds all options as the caller wrote them. */
type Validator = (value: unknown, name: OptionName, given: Partial<Record<OptionName, unknown>>) => unknown

const HOST_RULE =
  'write each host name by itself, as senders do, without scheme, path, white space or wildcards, ' +
  'such as "hooks.example.com"'

/** RFC 8301 section 3.2: verifiers must not accept RSA keys of less than 1024 bits, whatever a receiver configures. */
const RSA_FLOOR = { min: RSA_BITS.min } as const

/** Every option, in the order of the documentation. */
const VALIDATORS = {
  serviceDomain: values.validateDomain,
  // Hosts keep the case in which they were given: senders may sign them so.
  hosts: (value, name) => values.validateList(value, name, isHost, HOST_RULE),
  accounts: (value, name, { accountPrefix = DEFAULTS.accountPrefix }) =>
    values.validateAccounts(value, name, { option: 'accountPrefix', value: accountPrefix }),
  accountHeader: (value = DEFAULTS.accountHeader, name) => values.validateHeaderName(value, name),
  accountPrefix: (value = DEFAULTS.accountPrefix, name) => values.validateString(value, name, DEFAULTS.accountPrefix),
  requireHttps: (value = DEFAULTS.requireHttps, name) => values.validateBoolean(value, name),
  dateTolerance: (value, name) =>
    values.validateNumber(value, DEFAULTS.dateTolerance, name, 'seconds', { min: 0, max: 86_400 }),
  schemes: (value = [draftCavage], name) => values.validateSchemes(value, name),
  algorithms: (value, name, { schemes = [draftCavage] }) => values.validateAlgorithms(value, name, schemes as Scheme[]),
  alsoCovered: (value = DEFAULTS.alsoCovered, name) => values.validateHeaderNames(value, name),
  minRsaBits: (value, name) => values.validateNumber(value, DEFAULTS.minRsaBits, name, 'bits', RSA_FLOOR),
  maxRsaBits: (value, name) => values.validateNumber(value, DEFAULTS.maxRsaBits, name, 'bits'),
  maxBodyBytes: (value, name) => values.validateNumber(value, DEFAULTS.maxBodyBytes, name, 'bytes', { min: 0 }),
  bodyTimeout: (value, name) => values.validateTimeout(value, DEFAULTS.bodyTimeout, name),
  lookupTxt: values.validateLookup,
  lookupTimeout: (value, name) => values.validateTimeout(value, DEFAULTS.lookupTimeout, name),
  replayStore: values.validateStore,
  replayTimeout: (value, name) => values.validateTimeout(value, DEFAULTS.replayTimeout, name),
  recorder: values.validateRecorder,
  // The global clock is looked up at each verification: fake timers replace it after the verifier is made.
  now: (value = () => Date.now(), name) =>
    values.validateFunction(value as () => number, name, '() => milliseconds since 1970')
} satisfies Record<OptionName, Validator>

export const optionNames = (): OptionName[] => Object.keys(VALIDATORS) as OptionName[]

/** The options as the checks need them: complete, validated, and prepared once. */
export type Settings = { readonly [N in keyof typeof VALIDATORS]: ReturnType<(typeof VALIDATORS)[N]> }

/** Validates the options. Throws a TypeError for a bad one: a check must not be off by mistake. */
export function validateOptions(options: VerifierOptions): Settings {
  const names = optionNames()
  const given = ownOptions('createVerifier', options, names)
  const missing = names.filter(name => Object.hasOwn(REQUIRED, name) && given[name] === undefined)
  if (missing.length > 1) {
    const example = Object.entries(REQUIRED).map(([name, value]) => `${name}: "${value}"`)
    throw new TypeError(
      `createVerifier() got undefined for ${missing.join(', ')} (are the environment variables set?): ` +
        `write ${example.join(', ')}`
    )
  }
  return validateGiven(given, names)
}

/** Validates only these options, for a command that has no others, and fills in their defaults. */
export function validateGiven<N extends OptionName>(
  given: Partial<Record<OptionName, unknown>>,
  names: readonly N[]
): Pick<Settings, N> {
  const settings: Partial<Settings> = Object.fromEntries(
    names.map(name => [name, (VALIDATORS[name] as Validator)(given[name], name, given)])
  )
  const { minRsaBits = 0, maxRsaBits = 0 } = settings
  if (minRsaBits > maxRsaBits) {
    const [min, max] = [named<OptionName>('minRsaBits'), named<OptionName>('maxRsaBits')]
    throw optionMistake(min, ` is ${minRsaBits}, above `, max, ` (${maxRsaBits}): no key could be accepted`)
  }
  return settings as Pick<Settings, N>
}
