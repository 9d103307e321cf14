/** Options of `createVerifier` and of the adapters, or flags of the command lines and the gateway. */
export type SettingsLanguage = 'options' | 'flags'

/** Each setting that a fix names, by its option: the flag, if there is one, and whether several values can be given. */
const SETTINGS = {
  accountHeader: { flag: '--account-header' },
  accountPrefix: { flag: '--account-prefix' },
  accounts: { flag: '--account', isList: true },
  algorithms: { flag: '--algorithm', isList: true },
  alsoCovered: { flag: undefined, isList: true },
  bodyTimeout: { flag: undefined },
  hosts: { flag: '--host', isList: true },
  https: { flag: '--https' },
  maxBodyBytes: { flag: '--max-body' },
  maxRsaBits: { flag: undefined },
  minRsaBits: { flag: undefined },
  prefix: { flag: '--prefix' },
  serviceDomain: { flag: '--domain' }
} as const

export type Setting = keyof typeof SETTINGS

/** Names settings in the language of the tool that the reader uses. */
export interface Say {
  /** `hosts`, or `--host` */
  name(setting: Setting): string
  /** `hosts: [..., 'a.example']`, or `--host a.example` */
  set(setting: Setting, value: string): string
  /** for what only one of the two can do */
  either(options: string, flags: string): string
}

/** A value from outside is written only if no shell and no string literal takes a part of it for something else. */
const PLAIN = /^[\w./:@%+,=-]{1,253}$/

const quoted = (value: string): string => (PLAIN.test(value) ? `'${value}'` : "'...'")

const OPTIONS: Say = {
  name: setting => setting,
  set: (setting, value) =>
    'isList' in SETTINGS[setting] ? `${setting}: [..., ${quoted(value)}]` : `${setting}: ${quoted(value)}`,
  either: options => options
}

const FLAGS: Say = {
  name: setting => SETTINGS[setting].flag ?? setting,
  set: (setting, value) => `${SETTINGS[setting].flag ?? setting} ${PLAIN.test(value) ? value : '...'}`,
  either: (_, flags) => flags
}

export const speak = (language: SettingsLanguage): Say => (language === 'flags' ? FLAGS : OPTIONS)
