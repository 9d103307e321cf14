import type { SchemeName } from '../result/scheme-name.ts'
import { DEFAULTS, type OptionName } from './options.ts'

/** One flag of a command line. */
export interface Flag {
  /** without its two dashes */
  readonly flag: string
  /** a switch takes no value, a list may be repeated, a number is a whole one */
  readonly kind: 'text' | 'list' | 'number' | 'switch'
  /** what stands for the value in a help text, such as NAME */
  readonly value?: string
  /** the words to choose from; any text is taken without them */
  readonly choices?: readonly string[]
  readonly about: string
  /** what counts when the flag is not given, for the help text */
  readonly fallback?: string | number
}

/** A flag of one command. */
export interface CommandFlag extends Flag {
  /** what the value is when the flag is not given */
  readonly preset?: string
  readonly isRequired?: true
}

/** The type of the value that a command gets for a flag. */
export type ValueOf<F extends Flag> = F['kind'] extends 'switch'
  ? boolean
  : F['kind'] extends 'list'
    ? readonly TextOf<F>[]
    : F['kind'] extends 'number'
      ? number
      : TextOf<F>

type TextOf<F extends Flag> = F extends { choices: readonly (infer Choice)[] } ? Choice : string

/**
 * `plain`: the `options` of a vector have it as it is. Hosts, accounts and schemes have forms of their own there, and
 * what is not data is not in them.
 */
interface InVector {
  readonly vector?: 'plain'
}

/** An option whose value is code has no flag. */
type InCode = { readonly flag?: never } & InVector

const DRAFT: SchemeName = 'draft-cavage'

const HTTPS = {
  flag: 'https',
  kind: 'text',
  value: 'WHAT',
  choices: ['x-forwarded-proto', 'always', 'not-required'],
  about:
    'x-forwarded-proto trusts that header of the proxy in front; always: everything arrives over TLS; ' +
    'not-required: plain HTTP is accepted'
} as const

// Bundlers leave out what is the result of a pure call: nothing here belongs in a verifier.

/** The options of `createVerifier` on a command line, in a help text and in a vector. */
const VERIFIER_FLAGS = /* @__PURE__ */ (() =>
  ({
    serviceDomain: {
      flag: 'domain',
      kind: 'text',
      value: 'NAME',
      about: "the service's domain, which the key's name must be under",
      vector: 'plain'
    },
    hosts: {
      flag: 'host',
      kind: 'list',
      value: 'NAME',
      about: 'a host name of the receiver'
    },
    accounts: {
      flag: 'account',
      kind: 'list',
      value: 'ID',
      about: 'an account id to accept'
    },
    accountHeader: {
      flag: 'account-header',
      kind: 'text',
      value: 'NAME',
      about: 'the header that carries the account',
      fallback: DEFAULTS.accountHeader,
      vector: 'plain'
    },
    accountPrefix: {
      flag: 'account-prefix',
      kind: 'text',
      value: 'TEXT',
      about: 'the text before the account id in it',
      fallback: DEFAULTS.accountPrefix,
      vector: 'plain'
    },
    requireHttps: { ...HTTPS, vector: 'plain' },
    dateTolerance: {
      flag: 'date-tolerance',
      kind: 'number',
      value: 'SECONDS',
      about: 'how far Date, created and expires may be from now',
      fallback: DEFAULTS.dateTolerance,
      vector: 'plain'
    },
    schemes: {
      flag: 'scheme',
      kind: 'list',
      value: 'NAME',
      choices: [DRAFT, 'rfc9421'] satisfies SchemeName[],
      about: 'a standard to accept, draft-cavage or rfc9421',
      fallback: DRAFT
    },
    algorithms: {
      flag: 'algorithm',
      kind: 'list',
      value: 'NAME',
      about: 'an algorithm to accept',
      fallback: 'rsa-sha256',
      vector: 'plain'
    },
    alsoCovered: {
      flag: 'also-covered',
      kind: 'list',
      value: 'NAME',
      about: 'a header that must be signed besides the required ones',
      vector: 'plain'
    },
    minRsaBits: {
      flag: 'min-rsa-bits',
      kind: 'number',
      value: 'BITS',
      about: 'the shortest RSA key to accept',
      fallback: DEFAULTS.minRsaBits,
      vector: 'plain'
    },
    maxRsaBits: {
      flag: 'max-rsa-bits',
      kind: 'number',
      value: 'BITS',
      about: 'the longest RSA key to accept',
      fallback: DEFAULTS.maxRsaBits,
      vector: 'plain'
    },
    maxBodyBytes: {
      flag: 'max-body',
      kind: 'number',
      value: 'BYTES',
      about: 'the largest body',
      fallback: DEFAULTS.maxBodyBytes,
      vector: 'plain'
    },
    bodyTimeout: {
      flag: 'body-timeout',
      kind: 'number',
      value: 'MS',
      about: 'from the first byte of a body to its last',
      fallback: DEFAULTS.bodyTimeout
    },
    lookupTxt: {},
    lookupTimeout: {
      flag: 'lookup-timeout',
      kind: 'number',
      value: 'MS',
      about: 'how long DNS may take to answer',
      fallback: DEFAULTS.lookupTimeout
    },
    replayStore: {},
    replayTimeout: {
      flag: 'replay-timeout',
      kind: 'number',
      value: 'MS',
      about: 'how long the replay store may take to answer',
      fallback: DEFAULTS.replayTimeout
    },
    now: {}
  }) as const satisfies Record<OptionName, (Flag & InVector) | InCode>)()

/**
 * Flags that mean the same in every command that has them, by the name of the option in code; each may also be an
 * environment variable. They are the options of `createVerifier` and of what it is given.
 */
export const SHARED = /* @__PURE__ */ (() =>
  ({
    ...VERIFIER_FLAGS,
    /** of the adapters */
    https: HTTPS,
    /** of `dnsTxtLookup` */
    servers: {
      flag: 'dns-server',
      kind: 'list',
      value: 'IP:PORT',
      about: 'ask this DNS server, such as 127.0.0.1:5353',
      fallback: "the system's"
    },
    /** `url` of `dohTxtLookup` */
    url: {
      flag: 'doh',
      kind: 'text',
      value: 'URL',
      about: 'ask this resolver by DNS over HTTPS, such as https://dns.example/dns-query'
    },
    /** of `dohTxtLookup` */
    requireAuthenticated: {
      flag: 'require-authenticated',
      kind: 'switch',
      about: 'with --doh: refuse answers that the resolver has not validated by DNSSEC'
    }
  }) as const)()

/** Flags that are given at each call. */
export const UNSHARED = /* @__PURE__ */ (() =>
  ({
    /** of the adapters */
    prefix: {
      flag: 'prefix',
      kind: 'text',
      value: 'PATH',
      about: 'a path that a proxy strips, such as /hooks: signed, but not seen by the receiver'
    },
    /** of `createAccountClient` */
    authUrl: { flag: 'auth-url', kind: 'text', value: 'URL', about: 'the authorization server' },
    /** of `createAccountClient` */
    baseUrl: {
      flag: 'base-url',
      kind: 'text',
      value: 'URL',
      about: 'the REST API, version 4 or later, such as https://api.service.example/v4'
    }
  }) as const satisfies Record<string, Flag>)()

export type SettingName = keyof typeof SHARED | keyof typeof UNSHARED

/** Options that have a flag of their own. */
export type SharedName = {
  [N in keyof typeof SHARED]: (typeof SHARED)[N] extends Flag ? N : never
}[keyof typeof SHARED]

/** Options that a vector has as they are. */
export type PlainName = {
  [N in OptionName]: (typeof VERIFIER_FLAGS)[N] extends { vector: 'plain' } ? N : never
}[OptionName]

export function plainNames(): PlainName[] {
  const rows: Readonly<Record<OptionName, (Flag & InVector) | InCode>> = VERIFIER_FLAGS
  return (Object.keys(rows) as OptionName[]).filter((name): name is PlainName => rows[name].vector === 'plain')
}

/** `--domain` for `serviceDomain`. An option without a flag keeps its name. */
export function flagOf(option: SettingName): string {
  const { flag }: { flag?: string } = { ...SHARED, ...UNSHARED }[option]
  return flag === undefined ? option : `--${flag}`
}

/** The environment variable of a flag. */
export const variableOf = (flag: string): string => `${VARIABLE_PREFIX}${flag.toUpperCase().replaceAll('-', '_')}`

export const VARIABLE_PREFIX = 'SIGNED_REQUESTS_'

const sharedFlag = (name: string): { readonly kind?: string } | undefined =>
  Object.values(SHARED).find(({ flag }: { flag?: string }) => flag === name)

/** May this flag also be an environment variable? */
export const isShared = (name: string): boolean => sharedFlag(name) !== undefined

/** May its environment variable hold several values, separated by commas? */
export const isSharedList = (name: string): boolean => sharedFlag(name)?.kind === 'list'

/** Is it the name of an option that a command line knows? */
const isSettingName = (name: string): name is SettingName =>
  Object.hasOwn(SHARED, name) || Object.hasOwn(UNSHARED, name)

/** The flag for an option that an error names. */
export const inFlags = (option: string): string => (isSettingName(option) ? flagOf(option) : option)

/** What a help text says of a flag: what it is for, whether it must be given or may be repeated, and its default. */
export function helpOf({ about, kind, fallback }: Flag, isRequired = false): string {
  const notes = [
    ...(isRequired ? ['required'] : []),
    ...(kind === 'list' ? ['may be repeated'] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`])
  ]
  return notes.length === 0 ? about : `${about} (${notes.join('; ')})`
}
