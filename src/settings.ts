import { dnsTxtLookup, type LookupTxt } from './key/dns.ts'
import { RSA_BITS } from './key/import.ts'
import { assertOptionNames } from './option-names.ts'
import {
  hostSpellings,
  readAccounts,
  readAlgorithms,
  readAlsoCovered,
  readDomain,
  readFunction,
  readHeaderName,
  readHosts,
  readNumber,
  readReplayStore,
  readSchemes,
  readTimeout
} from './option-values.ts'
import type { VerifierOptions } from './options.ts'
import type { ReplayStore } from './replay/store.ts'
import type { SchemeName } from './schemes/scheme.ts'
import type { Algorithm } from './signature/algorithms.ts'

/** The options as the checks want them: complete, validated, and prepared once. */
export interface Settings {
  serviceDomain: string
  hosts: readonly string[]
  /** every spelling of Host that is ours */
  acceptedHosts: ReadonlySet<string>
  accepts: (id: string) => boolean | Promise<boolean>
  accountHeader: string
  accountPrefix: string
  requireHttps: boolean
  dateTolerance: number
  schemes: ReadonlySet<SchemeName>
  algorithms: Readonly<Record<SchemeName, ReadonlySet<Algorithm>>>
  /** in lower case, as the draft names them */
  requiredCoverage: readonly string[]
  alsoCovered: readonly string[]
  minRsaBits: number
  maxRsaBits: number
  maxBodyBytes: number
  lookupTxt: LookupTxt
  lookupTimeout: number
  replayStore: ReplayStore | undefined
  replayTimeout: number
  now: () => number
}

const OPTION_NAMES: readonly (keyof VerifierOptions)[] = [
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
  'lookupTxt',
  'lookupTimeout',
  'replayStore',
  'replayTimeout',
  'now'
]

/** Throws a TypeError for a bad option; a misspelt one must not silently turn a check off. */
export function readOptions(options: VerifierOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('createVerifier() takes options: { serviceDomain, hosts, accounts, … }')
  }
  assertOptionNames('createVerifier', options, OPTION_NAMES)

  const requireHttps = options.requireHttps ?? true
  if (typeof requireHttps !== 'boolean') throw new TypeError('requireHttps must be true or false')
  const hosts = readHosts(options.hosts)
  const accountHeader = readHeaderName(options.accountHeader ?? 'X-Service-ID', 'accountHeader')
  const accountPrefix = options.accountPrefix ?? 'account-'
  if (typeof accountPrefix !== 'string')
    throw new TypeError('accountPrefix must be a string, such as "account-"')
  const minRsaBits = readNumber(options.minRsaBits, RSA_BITS.min, 'minRsaBits', 'a positive number of bits')
  const maxRsaBits = readNumber(options.maxRsaBits, RSA_BITS.max, 'maxRsaBits', 'a positive number of bits')
  if (minRsaBits > maxRsaBits) throw new TypeError('minRsaBits must not be above maxRsaBits')
  const schemes = readSchemes(options.schemes ?? ['draft-cavage'])
  const alsoCovered = readAlsoCovered(options.alsoCovered ?? [])

  return {
    serviceDomain: readDomain(options.serviceDomain),
    hosts,
    acceptedHosts: new Set(hosts.flatMap(host => hostSpellings(host, requireHttps))),
    accepts: readAccounts(options.accounts),
    accountHeader,
    accountPrefix,
    requireHttps,
    dateTolerance: readNumber(options.dateTolerance, 300, 'dateTolerance', 'a number of seconds', 0),
    schemes,
    algorithms: readAlgorithms(options.algorithms, schemes),
    requiredCoverage: [
      ...new Set(['(request-target)', 'host', 'date', accountHeader, 'digest', ...alsoCovered])
    ],
    alsoCovered,
    minRsaBits,
    maxRsaBits,
    maxBodyBytes: readNumber(options.maxBodyBytes, 10_485_760, 'maxBodyBytes', 'a number of bytes', 0),
    lookupTxt: readFunction(
      options.lookupTxt ?? dnsTxtLookup(),
      'lookupTxt',
      '(name, { signal }) => Promise<string[][]>'
    ),
    lookupTimeout: readTimeout(options.lookupTimeout, 5000, 'lookupTimeout'),
    replayStore: readReplayStore(options.replayStore),
    replayTimeout: readTimeout(options.replayTimeout, 1000, 'replayTimeout'),
    now: readFunction(options.now ?? Date.now, 'now', '() => milliseconds')
  }
}
