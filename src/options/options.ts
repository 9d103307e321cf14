import { MAX_BODY_BYTES } from '../body/read.ts'
import { draftCavage } from '../draft-cavage/scheme.ts'
import { RSA_BITS } from '../key/import.ts'
import { ownOptions } from '../mistakes/mistakes.ts'
import type { Scheme } from '../scheme.ts'
import * as values from './values.ts'
import type { VerifierOptions } from './verifier-options.ts'

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
