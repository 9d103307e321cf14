import { draftCavage } from '../draft-cavage/scheme.ts'
import type { LookupTxt } from '../key/dns.ts'
import { RSA_BITS } from '../key/import.ts'
import { describe } from '../mistakes/describe.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { SchemeSteps } from '../scheme.ts'
import { type AccountRule, validateAccounts } from './accounts.ts'
import { type AllowedAlgorithms, validateAlgorithms, validateSchemes } from './algorithms.ts'
import { validateFunction, validateLookup, validateReplayStore } from './functions.ts'
import { hostSpellings, validateHosts } from './hosts.ts'
import { validateAlsoCovered, validateDomain, validateHeaderName } from './names.ts'
import { validateDateTolerance, validateNumber, validateTimeout } from './numbers.ts'
import type { VerifierOptions } from './options.ts'

/** The options as the checks need them: complete, validated, and prepared once. */
export interface Settings {
  readonly serviceDomain: string
  readonly hosts: readonly string[]
  /** every spelling of Host that is accepted */
  readonly acceptedHosts: ReadonlySet<string>
  readonly accounts: AccountRule
  readonly accountHeader: string
  readonly accountPrefix: string
  readonly requireHttps: boolean
  readonly dateTolerance: number
  readonly schemes: readonly SchemeSteps[]
  readonly algorithms: AllowedAlgorithms
  /** in lower case */
  readonly alsoCovered: readonly string[]
  readonly minRsaBits: number
  readonly maxRsaBits: number
  readonly maxBodyBytes: number
  readonly bodyTimeout: number
  readonly lookupTxt: LookupTxt
  readonly lookupTimeout: number
  readonly replayStore: ReplayStore | undefined
  readonly replayTimeout: number
  readonly now: () => number
}

export const OPTION_NAMES: readonly (keyof VerifierOptions)[] = [
  'serviceDomain',
  'hosts',
  'accounts',
  'accountHeader',
  'accountPrefix',
  'requireHttps',
  'dateTolerance',
  'schemes',
  'algorithms',
  'alsoCovered',
  'minRsaBits',
  'maxRsaBits',
  'maxBodyBytes',
  'bodyTimeout',
  'lookupTxt',
  'lookupTimeout',
  'replayStore',
  'replayTimeout',
  'now'
]

/** Throws a TypeError for a bad option: a check must not be off by mistake. */
export function validateOptions(given: VerifierOptions): Settings {
  const options = ownOptions('createVerifier', given, OPTION_NAMES)

  const requireHttps = options.requireHttps ?? true
  if (typeof requireHttps !== 'boolean')
    throw new TypeError(`requireHttps is ${describe(requireHttps)}: write true or false`)
  const hosts = validateHosts(options.hosts)
  const accountHeader = validateHeaderName(options.accountHeader ?? 'X-Service-ID', 'accountHeader')
  const accountPrefix = options.accountPrefix ?? 'account-'
  if (typeof accountPrefix !== 'string')
    throw new TypeError(`accountPrefix is ${describe(accountPrefix)}: pass a string, such as "account-"`)
  const minRsaBits = validateNumber(options.minRsaBits, RSA_BITS.min, 'minRsaBits', 'bits')
  const maxRsaBits = validateNumber(options.maxRsaBits, RSA_BITS.max, 'maxRsaBits', 'bits')
  if (minRsaBits > maxRsaBits) {
    throw new TypeError(
      `minRsaBits is ${minRsaBits}, above maxRsaBits (${maxRsaBits}): no key could be accepted`
    )
  }
  const schemes = validateSchemes(options.schemes ?? [draftCavage])
  const alsoCovered = validateAlsoCovered(options.alsoCovered ?? [])

  return {
    serviceDomain: validateDomain(options.serviceDomain),
    hosts,
    acceptedHosts: new Set(hosts.flatMap(host => hostSpellings(host, requireHttps))),
    accounts: validateAccounts(options.accounts, accountPrefix),
    accountHeader,
    accountPrefix,
    requireHttps,
    dateTolerance: validateDateTolerance(options.dateTolerance),
    schemes,
    algorithms: validateAlgorithms(options.algorithms, schemes),
    alsoCovered,
    minRsaBits,
    maxRsaBits,
    maxBodyBytes: validateNumber(options.maxBodyBytes, 10_485_760, 'maxBodyBytes', 'bytes', { least: 0 }),
    bodyTimeout: validateTimeout(options.bodyTimeout, 30_000, 'bodyTimeout'),
    lookupTxt: validateLookup(options.lookupTxt),
    lookupTimeout: validateTimeout(options.lookupTimeout, 5000, 'lookupTimeout'),
    replayStore: validateReplayStore(options.replayStore),
    replayTimeout: validateTimeout(options.replayTimeout, 1000, 'replayTimeout'),
    now: validateFunction(options.now ?? Date.now, 'now', '() => milliseconds since 1970')
  }
}
