import { isHost } from '../http/uri.ts'
import { RSA_BITS } from '../key/rsa-der.ts'
import type { LookupTxt } from '../key/types.ts'
import { knownOptions, mistake, named, refuseUnknown, validateAll } from '../mistakes.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { Algorithm } from '../signature/algorithms.ts'
import { draftCavage } from '../standards/draft-cavage/scheme.ts'
import type { Scheme } from '../standards/scheme.ts'
import * as values from './values.ts'

/** Says whose requests are accepted, and how strictly. `createVerifier` throws a `TypeError` for a bad option. */
export interface VerifierOptions {
  /**
   * the domain of the service's keys: keyId must be a subdomain of it, not the domain itself. Never a domain under
   * which the public registers names, such as `com` or `co.uk`: anyone could sign
   */
  serviceDomain: string
  /**
   * your own host names. `name` means the default port (443; 80 too when HTTPS is not required), `name:8443` that port
   */
  hosts: string | readonly string[]
  /**
   * the account ids to accept, without the prefix. A function is called only after the signature has verified. If it
   * throws, rejects or returns anything but true or false, the verdict is unavailable. `verify` waits for it without a
   * deadline
   */
  accounts: values.Accounts
  /** the header that carries the account, named after the service's brand; `X-Service-ID` by default */
  accountHeader?: string | undefined
  /** the text before the account id; `account-` by default */
  accountPrefix?: string | undefined
  /** whether to reject requests that did not arrive over TLS; true by default */
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
  /** names of headers that must be signed, too; none by default */
  alsoCovered?: readonly string[] | undefined
  /** rejects RSA keys with fewer bits; 1024 by default, and at least that (RFC 8301) */
  minRsaBits?: number | undefined
  /** rejects RSA keys with more bits; 8192 by default */
  maxRsaBits?: number | undefined
  /** rejects bodies with more bytes, as `body-too-large`; 10485760 by default */
  maxBodyBytes?: number | undefined
  /** milliseconds that a streamed body may take; later it is `body-unreadable`; 30000 by default */
  bodyTimeout?: number | undefined
  /** looks up TXT records, as `resolveTxt` of `node:dns/promises` does; `dnsTxtLookup()` by default */
  lookupTxt?: LookupTxt | undefined
  /** milliseconds that one lookup may take; 5000 by default */
  lookupTimeout?: number | undefined
  /** remembers accepted requests, so that each is accepted once; none by default */
  replayStore?: ReplayStore | undefined
  /** milliseconds that the replay store may take; 1000 by default */
  replayTimeout?: number | undefined
  /** keeps every request that is not verified: `createRecorder()`; none by default */
  recorder?: values.RequestRecorder | undefined
  /** the clock, in milliseconds since 1970; `Date.now()` by default, so fake timers work */
  now?: (() => number) | undefined
}

export type OptionName = keyof VerifierOptions

/** The form in which a command line takes an option. The value of `code` is a function or an object: it has no flag. */
type KindOf<T> = [T] extends [string | undefined]
  ? 'text'
  : [T] extends [number | undefined]
    ? 'number'
    : [T] extends [boolean | undefined]
      ? 'switch'
      : [Extract<T, readonly unknown[]>] extends [never]
        ? 'code'
        : 'list'

/** The options with their defaults, as the caller wrote them. */
type Written = Readonly<Partial<Record<OptionName, unknown>>>

/** Describes an option. Its type and its text for an editor are in `VerifierOptions`. */
interface Entry<T> {
  readonly kind: KindOf<T>
  /** its name on a command line, without the dashes; the environment variable is made of it */
  readonly flag: KindOf<T> extends 'code' ? undefined : string
  /** the default; without one the option is required, or its validator makes the default */
  readonly fallback?: T
  /** `same`: a vector has it under this name and in this form. `own`: it has a form of its own there */
  readonly vector: 'same' | 'own' | 'none'
  /** Makes the value that the checks use. @throws TypeError */
  validate(value: unknown, name: OptionName, written: Written): unknown
}

type Entries = { readonly [N in OptionName]-?: Entry<VerifierOptions[N]> }

const numberEntry = <F extends number>(fallback: F, unit: string, bounds?: values.Bounds) => ({
  kind: 'number' as const,
  fallback,
  validate: (value: unknown, name: OptionName) => values.validateNumber(value, fallback, name, unit, bounds)
})

const timeoutEntry = <F extends number>(fallback: F) => ({
  ...numberEntry(fallback, 'milliseconds'),
  validate: (value: unknown, name: OptionName) => values.validateTimeout(value, fallback, name)
})

/** A value that a command line and a vector cannot hold. */
const CODE = { kind: 'code', flag: undefined, vector: 'none' } as const

const HOST_RULE =
  'write each host name by itself, as senders do, without scheme, path, white space or wildcards, ' +
  'such as "hooks.example.com"'

/**
 * Every option, in the order of the documentation. Flags, variables, the form of the vectors and the tables of
 * docs/options.md are made from these entries or compared with them.
 */
export const OPTIONS = /* @__PURE__ */ (() =>
  ({
    serviceDomain: { kind: 'text', flag: 'domain', vector: 'same', validate: values.validateDomain },
    hosts: {
      kind: 'list',
      flag: 'host',
      vector: 'own',
      // Hosts keep the case in which they were given: senders may sign them so.
      validate: (value, name) => values.validateList(value, name, isHost, HOST_RULE)
    },
    accounts: {
      kind: 'list',
      flag: 'account',
      vector: 'own',
      validate: (value, name, { accountPrefix }) =>
        values.validateAccounts(value, name, { option: 'accountPrefix', value: accountPrefix })
    },
    accountHeader: {
      kind: 'text',
      flag: 'account-header',
      fallback: 'X-Service-ID',
      vector: 'same',
      validate: values.validateHeaderName
    },
    accountPrefix: {
      kind: 'text',
      flag: 'account-prefix',
      fallback: 'account-',
      vector: 'same',
      validate: (value, name) => values.validateString(value, name, 'account-')
    },
    // A command line has it as a value of the flag with which it says how HTTPS is known.
    requireHttps: { kind: 'switch', flag: 'https', fallback: true, vector: 'same', validate: values.validateBoolean },
    dateTolerance: {
      ...numberEntry(300, 'seconds', { min: 0, max: 86_400 }),
      flag: 'date-tolerance',
      vector: 'same'
    },
    schemes: {
      kind: 'list',
      flag: 'scheme',
      fallback: [draftCavage],
      vector: 'own',
      validate: values.validateSchemes
    },
    algorithms: {
      kind: 'list',
      flag: 'algorithm',
      vector: 'same',
      validate: (value, name, { schemes }) => values.validateAlgorithms(value, name, schemes)
    },
    alsoCovered: {
      kind: 'list',
      flag: 'also-covered',
      fallback: [],
      vector: 'same',
      validate: values.validateHeaderNames
    },
    // RFC 8301 section 3.2: verifiers must not accept RSA keys of less than 1024 bits, whatever a receiver configures.
    minRsaBits: { ...numberEntry(RSA_BITS.min, 'bits', { min: RSA_BITS.min }), flag: 'min-rsa-bits', vector: 'same' },
    maxRsaBits: { ...numberEntry(RSA_BITS.max, 'bits'), flag: 'max-rsa-bits', vector: 'same' },
    maxBodyBytes: { ...numberEntry(10_485_760, 'bytes', { min: 0 }), flag: 'max-body', vector: 'same' },
    bodyTimeout: { ...timeoutEntry(30_000), flag: 'body-timeout', vector: 'none' },
    lookupTxt: { ...CODE, validate: values.validateLookup },
    lookupTimeout: { ...timeoutEntry(5000), flag: 'lookup-timeout', vector: 'none' },
    replayStore: { ...CODE, validate: values.validateStore },
    replayTimeout: { ...timeoutEntry(1000), flag: 'replay-timeout', vector: 'none' },
    recorder: { ...CODE, validate: values.validateRecorder },
    now: {
      ...CODE,
      // The global clock is looked up at each verification: fake timers replace it after the verifier is made.
      validate: (value = () => Date.now(), name) =>
        values.validateFunction(value as () => number, name, '() => milliseconds since 1970')
    }
  }) as const satisfies Entries)()

type Options = typeof OPTIONS

export const OPTION_NAMES = /* @__PURE__ */ Object.keys(OPTIONS) as readonly OptionName[]

/** Options that a vector has under the same name and in the same form. */
export type VectorOptionName = { [N in OptionName]: Options[N]['vector'] extends 'same' ? N : never }[OptionName]

type Defaulted = { [N in OptionName]: Options[N] extends { fallback: unknown } ? N : never }[OptionName]

/** The defaults of the options that are data. Without a prototype: a polluted one must not supply an option. */
export const DEFAULTS: { readonly [N in Defaulted]: Options[N]['fallback'] } = /* @__PURE__ */ Object.assign(
  /* @__PURE__ */ Object.create(null),
  /* @__PURE__ */ Object.fromEntries(
    /* @__PURE__ */ Object.entries(OPTIONS).flatMap(([name, entry]) =>
      'fallback' in entry ? [[name, entry.fallback]] : []
    )
  )
)

const defaultOf = (name: OptionName): unknown =>
  Object.hasOwn(DEFAULTS, name) ? DEFAULTS[name as Defaulted] : undefined

/** The options as the checks need them: complete, validated, and prepared once. */
export type Settings = { readonly [N in OptionName]: ReturnType<Options[N]['validate']> }

/**
 * Validates the options: a check must not be off by mistake.
 *
 * @throws TypeError with a line for each bad option
 */
export function validateOptions(options: VerifierOptions): Settings {
  const own = knownOptions('createVerifier', options, OPTION_NAMES)
  const [, settings] = validateAll(
    () => refuseUnknown('createVerifier', options, OPTION_NAMES),
    () => validateOnly(own, OPTION_NAMES)
  )
  return settings
}

/** Validates only these options, for a command that has no others, and fills in their defaults. */
export function validateOnly<N extends OptionName>(own: Written, names: readonly N[]): Pick<Settings, N> {
  const written = Object.fromEntries(
    OPTION_NAMES.map(name => [name, own[name] === undefined ? defaultOf(name) : own[name]])
  )
  const values = validateAll(
    ...names.map(name => () => (OPTIONS[name] as Entry<unknown>).validate(written[name], name, written))
  )
  const settings: Partial<Settings> = Object.fromEntries(names.map((name, i) => [name, values[i]]))
  const { minRsaBits = 0, maxRsaBits = 0 } = settings
  if (minRsaBits > maxRsaBits) {
    const [min, max] = [named<OptionName>('minRsaBits'), named<OptionName>('maxRsaBits')]
    const rule = ['it is above ', max, ` (${maxRsaBits}), so no key could be accepted`]
    throw mistake([min, ' is'], minRsaBits, rule)
  }
  return settings as Pick<Settings, N>
}
