import { DEFAULTS } from '../core/options/defaults.ts'
import type { OptionName, VerifierOptions } from '../core/options/options.ts'

/** Options of `createVerifier` and of the adapters, or flags of the command lines and the gateway. */
export type SettingsLanguage = 'options' | 'flags'

/** Options of the functions around a verifier. */
type OtherSetting =
  | 'https'
  | 'prefix'
  | 'servers'
  | 'url'
  | 'requireAuthenticated'
  | 'authUrl'
  | 'baseUrl'
  | 'selectAccountId'

export type SettingName = OptionName | OtherSetting

/** The flag of each option, without its dashes; undefined where the value is code. */
export const FLAG_NAMES = {
  serviceDomain: 'domain',
  hosts: 'host',
  accounts: 'account',
  accountHeader: 'account-header',
  accountPrefix: 'account-prefix',
  requireHttps: 'https',
  dateTolerance: 'date-tolerance',
  schemes: 'scheme',
  algorithms: 'algorithm',
  alsoCovered: 'also-covered',
  minRsaBits: 'min-rsa-bits',
  maxRsaBits: 'max-rsa-bits',
  maxBodyBytes: 'max-body',
  bodyTimeout: 'body-timeout',
  lookupTxt: undefined,
  lookupTimeout: 'lookup-timeout',
  replayStore: undefined,
  recorder: undefined,
  replayTimeout: 'replay-timeout',
  now: undefined,
  // Options of the adapters.
  https: 'https',
  prefix: 'prefix',
  // Options of dnsTxtLookup and dohTxtLookup.
  servers: 'dns-server',
  url: 'doh',
  requireAuthenticated: 'require-authenticated',
  // Options of createAccountClient.
  authUrl: 'auth-url',
  baseUrl: 'base-url',
  selectAccountId: 'field'
} as const satisfies Record<SettingName, string | undefined>

/** Options of several values. */
type Listed = {
  [N in OptionName]: Extract<VerifierOptions[N], readonly unknown[]> extends never ? never : N
}[OptionName]

/** Options that take several values. */
const LISTS: Readonly<Record<string, true | undefined>> = {
  hosts: true,
  accounts: true,
  schemes: true,
  algorithms: true,
  alsoCovered: true
} satisfies Record<Listed, true>

/** A value from outside is written only if no shell and no string literal takes a part of it for something else. */
const PLAIN = /^[\w./:@%+,=-]{1,253}$/

/** Writes a setting: `hosts: [..., 'a.example']`, or `--host a.example`; without a value `hosts`, or `--host`. */
export function showSetting(language: SettingsLanguage, option: SettingName, value?: string): string {
  const flag = FLAG_NAMES[option]
  const name = language === 'flags' && flag !== undefined ? `--${flag}` : option
  if (value === undefined) return name
  const plain = PLAIN.test(value) ? value : '...'
  if (language === 'flags') return `${name} ${plain}`
  const fallback = (DEFAULTS as Partial<Record<SettingName, unknown>>)[option]
  if (typeof fallback === 'number') return `${name}: ${plain}`
  return LISTS[option] ? `${name}: [..., '${plain}']` : `${name}: '${plain}'`
}
