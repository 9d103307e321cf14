import { MAX_BODY_BYTES } from '../body/read.ts'
import { draftCavage } from '../draft-cavage/scheme.ts'
import type { LookupTxt } from '../key/dns.ts'
import { RSA_BITS } from '../key/import.ts'
import { ownOptions } from '../mistakes/mistakes.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { Scheme } from '../scheme.ts'
import type { Algorithm } from '../signature/algorithms.ts'
import * as values from './values.ts'

/** Whose requests are accepted, and how strictly. `createVerifier` throws a `TypeError` for a bad option. */
export interface VerifierOptions {
  /** keyId must be a subdomain of it, not the domain itself */
  serviceDomain: string
  /** the receiver's own host names: `name` means the default port, `name:8443` that port */
  hosts: string | readonly string[]
  /** the account ids to accept, without the prefix; a function that throws or rejects makes the verdict unavailable */
  accounts: values.Accounts
  /** the header that carries the account, under the service's brand; `X-Service-ID` by default */
  accountHeader?: string
  /** the text before the account id; `account-` by default */
  accountPrefix?: string
  /** true by default */
  requireHttps?: boolean
  /** seconds that Date, created and expires may be from now, either way; 300 by default */
  dateTolerance?: number
  /**
   * The standards to accept; `[draftCavage]` by default. With `rfc9421` of `signed-requests/rfc9421` in the list, a
   * request with Signature-Input is verified by that alone.
   */
  schemes?: readonly Scheme[]
  /** `rsa-sha256` for the draft by default, and for RFC 9421 `rsa-v1_5-sha256`, `rsa-pss-sha512` and `ed25519` */
  algorithms?: readonly Algorithm[]
  /** names that must be signed in addition to the required ones; none by default */
  alsoCovered?: readonly string[]
  /** 1024 by default (RFC 8301) */
  minRsaBits?: number
  /** 8192 by default */
  maxRsaBits?: number
  /** 10485760 by default, for a streamed or a given body */
  maxBodyBytes?: number
  /** milliseconds for a streamed body, from the first read to its end; 30000 by default */
  bodyTimeout?: number
  /** `dnsTxtLookup()` by default */
  lookupTxt?: LookupTxt
  /** milliseconds; 5000 by default, however the resolver behaves */
  lookupTimeout?: number
  /** where accepted requests are remembered; none by default */
  replayStore?: ReplayStore
  /** milliseconds that the replay store may take; 1000 by default */
  replayTimeout?: number
  /** the clock, in milliseconds since 1970; `Date.now` by default */
  now?: () => number
}

/** What is needed of the other options is in `given`, as the caller wrote it. */
type Validator = (
  value: unknown,
  name: string,
  given: Partial<Record<keyof VerifierOptions, unknown>>
) => unknown

/** Every option, in the order of the documentation, with its default. */
const VALIDATORS = {
  serviceDomain: values.validateDomain,
  hosts: values.validateHosts,
  accounts: (value, _, { accountPrefix }) => values.validateAccounts(value, accountPrefix),
  accountHeader: (value = 'X-Service-ID', name) => values.validateHeaderName(value, name),
  accountPrefix: (value = 'account-', name) => values.validateString(value, name, 'account-'),
  requireHttps: (value = true, name) => values.validateBoolean(value, name),
  dateTolerance: (value, name) => values.validateNumber(value, 300, name, 'seconds', { min: 0, max: 86_400 }),
  schemes: (value = [draftCavage]) => values.validateSchemes(value),
  algorithms: (value, _, { schemes = [draftCavage] }) =>
    values.validateAlgorithms(value, schemes as Scheme[]),
  alsoCovered: (value = [], name) => values.validateHeaderNames(value, name),
  minRsaBits: (value, name) => values.validateNumber(value, RSA_BITS.min, name, 'bits'),
  maxRsaBits: (value, name) => values.validateNumber(value, RSA_BITS.max, name, 'bits'),
  maxBodyBytes: (value, name) => values.validateNumber(value, MAX_BODY_BYTES, name, 'bytes', { min: 0 }),
  bodyTimeout: (value, name) => values.validateTimeout(value, 30_000, name),
  lookupTxt: values.validateLookup,
  lookupTimeout: (value, name) => values.validateTimeout(value, 5000, name),
  replayStore: values.validateStore,
  replayTimeout: (value, name) => values.validateTimeout(value, 1000, name),
  now: (value = Date.now, name) =>
    values.validateFunction(value as () => number, name, '() => milliseconds since 1970')
} satisfies Record<keyof VerifierOptions, Validator>

export const OPTION_NAMES = Object.keys(VALIDATORS) as (keyof VerifierOptions)[]

/** The options as the checks need them: complete, validated, and prepared once. */
export type Settings = { readonly [N in keyof typeof VALIDATORS]: ReturnType<(typeof VALIDATORS)[N]> }

/** Those without a default. */
const REQUIRED = ['serviceDomain', 'hosts', 'accounts'] as const

const EXAMPLE = 'serviceDomain: "service.example", hosts: "hooks.example.com", accounts: "1234"'

/** Throws a TypeError for a bad option: a check must not be off by mistake. */
export function validateOptions(options: VerifierOptions): Settings {
  const given = ownOptions('createVerifier', options, OPTION_NAMES)
  const missing = REQUIRED.filter(name => given[name] === undefined)
  if (missing.length > 1)
    throw new TypeError(
      `createVerifier() got undefined for ${missing.join(', ')} (are the environment variables set?): write ${EXAMPLE}`
    )

  const settings = Object.fromEntries(
    OPTION_NAMES.map(name => [name, (VALIDATORS[name] as Validator)(given[name], name, given)])
  ) as unknown as Settings
  const { minRsaBits, maxRsaBits } = settings
  if (minRsaBits > maxRsaBits)
    throw new TypeError(
      `minRsaBits is ${minRsaBits}, above maxRsaBits (${maxRsaBits}): no key could be accepted`
    )
  return settings
}
