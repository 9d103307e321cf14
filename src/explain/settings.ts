import { OPTIONS, type OptionName } from '../core/options/options.ts'

/** Options of `createVerifier` and of the adapters, or flags of the command lines and the gateway. */
export type SettingsLanguage = 'options' | 'flags'

/** The flags of the options of `createVerifier`. */
type OptionFlags = { readonly [N in OptionName]: (typeof OPTIONS)[N]['flag'] }

/**
 * The flag of each option, without its dashes; undefined where the value is code. Besides the options of a verifier,
 * those of the functions around it that an explanation or an error names.
 */
export const FLAG_NAMES = {
  ...(Object.fromEntries(Object.entries(OPTIONS).map(([name, { flag }]) => [name, flag])) as OptionFlags),
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
} as const

export type SettingName = keyof typeof FLAG_NAMES

/** A value from outside is written only if no shell and no string literal takes a part of it for something else. */
const PLAIN = /^[\w./:@%+,=-]{1,253}$/

/** Writes a setting: `hosts: [..., 'a.example']`, or `--host a.example`; without a value `hosts`, or `--host`. */
export function showSetting(language: SettingsLanguage, option: SettingName, value?: string): string {
  const flag = FLAG_NAMES[option]
  const name = language === 'flags' && flag !== undefined ? `--${flag}` : option
  if (value === undefined) return name
  const plain = PLAIN.test(value) ? value : '...'
  if (language === 'flags') return `${name} ${plain}`
  const kind = Object.hasOwn(OPTIONS, option) ? OPTIONS[option as OptionName].kind : 'text'
  if (kind === 'number') return `${name}: ${plain}`
  return kind === 'list' ? `${name}: [..., '${plain}']` : `${name}: '${plain}'`
}
