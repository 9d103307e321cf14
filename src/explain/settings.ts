import { flagOf, type SettingName, SHARED } from '../options/flags.ts'

/** Options of `createVerifier` and of the adapters, or flags of the command lines and the gateway. */
export type SettingsLanguage = 'options' | 'flags'

export type { SettingName }

/** A value from outside is written only if no shell and no string literal takes a part of it for something else. */
const PLAIN = /^[\w./:@%+,=-]{1,253}$/

/** `hosts: [..., 'a.example']`, or `--host a.example`; without a value `hosts`, or `--host` */
export function showSetting(language: SettingsLanguage, option: SettingName, value?: string): string {
  const name = language === 'flags' ? flagOf(option) : option
  if (value === undefined) return name
  const plain = PLAIN.test(value) ? value : '...'
  if (language === 'flags') return `${name} ${plain}`
  const { [option]: row }: Partial<Record<SettingName, { kind?: string }>> = SHARED
  if (row?.kind === 'number') return `${name}: ${plain}`
  return row?.kind === 'list' ? `${name}: [..., '${plain}']` : `${name}: '${plain}'`
}
