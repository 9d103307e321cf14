/** Options of `createVerifier` and of the adapters, or flags of the command lines and the gateway. */
export type SettingsLanguage = 'options' | 'flags'

/** The flag of each option that a fix names; an option without a flag keeps its name. */
export const FLAGS: Readonly<Record<string, string>> = {
  accountHeader: '--account-header',
  accountPrefix: '--account-prefix',
  accounts: '--account',
  algorithms: '--algorithm',
  authUrl: '--auth-url',
  baseUrl: '--base-url',
  hosts: '--host',
  https: '--https',
  maxBodyBytes: '--max-body',
  prefix: '--prefix',
  schemes: '--scheme',
  serviceDomain: '--domain',
  servers: '--dns-server'
}

const LISTS: ReadonlySet<string> = new Set(['accounts', 'algorithms', 'hosts'])

/** A value from outside is written only if no shell and no string literal takes a part of it for something else. */
const PLAIN = /^[\w./:@%+,=-]{1,253}$/

/** A message of the library for a command line; `prefix` and `https` are words in such messages. */
export const inFlags = (message: string): string =>
  message.replace(/\b(?!prefix\b|https\b)[a-z]+\b/gi, word =>
    Object.hasOwn(FLAGS, word) ? FLAGS[word]! : word
  )

/** `hosts: [..., 'a.example']`, or `--host a.example`; without a value `hosts`, or `--host` */
export function showSetting(language: SettingsLanguage, option: string, value?: string): string {
  const name = language === 'flags' ? (FLAGS[option] ?? option) : option
  if (value === undefined) return name
  const plain = PLAIN.test(value) ? value : '...'
  if (language === 'flags') return `${name} ${plain}`
  return LISTS.has(option) ? `${name}: [..., '${plain}']` : `${name}: '${plain}'`
}
