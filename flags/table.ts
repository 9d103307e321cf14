import type { SchemeName } from '../src/index.ts'
import { DEFAULTS, FLAG_NAMES, type OptionName } from '../src/internal/index.ts'
import type { Flag } from './flag.ts'

const DRAFT: SchemeName = 'draft-cavage'

const HTTPS = {
  flag: FLAG_NAMES.https,
  kind: 'text',
  value: 'WHAT',
  choices: ['x-forwarded-proto', 'always', 'not-required'],
  about:
    'x-forwarded-proto trusts that header of the proxy in front; always: everything arrives over TLS; ' +
    'not-required: plain HTTP is accepted'
} as const

/** An option whose value is code has no flag. */
type DataOption = { [N in OptionName]: (typeof FLAG_NAMES)[N] extends string ? N : never }[OptionName]

/** The options of `createVerifier` on a command line and in a help text. */
const VERIFIER_FLAGS = {
  serviceDomain: {
    flag: FLAG_NAMES.serviceDomain,
    kind: 'text',
    value: 'NAME',
    about: "the service's domain, which the key's name must be under"
  },
  hosts: {
    flag: FLAG_NAMES.hosts,
    kind: 'list',
    value: 'NAME',
    about: 'a host name of the receiver'
  },
  accounts: {
    flag: FLAG_NAMES.accounts,
    kind: 'list',
    value: 'ID',
    about: 'an account id to accept'
  },
  accountHeader: {
    flag: FLAG_NAMES.accountHeader,
    kind: 'text',
    value: 'NAME',
    about: 'the header that carries the account',
    fallback: DEFAULTS.accountHeader
  },
  accountPrefix: {
    flag: FLAG_NAMES.accountPrefix,
    kind: 'text',
    value: 'TEXT',
    about: 'the text before the account id in the account header',
    fallback: DEFAULTS.accountPrefix
  },
  requireHttps: HTTPS,
  schemes: {
    flag: FLAG_NAMES.schemes,
    kind: 'list',
    value: 'NAME',
    choices: [DRAFT, 'rfc9421'] satisfies SchemeName[],
    about: 'a standard to accept, draft-cavage or rfc9421',
    fallback: DRAFT
  },
  algorithms: {
    flag: FLAG_NAMES.algorithms,
    kind: 'list',
    value: 'NAME',
    about: 'an algorithm to accept',
    fallback: 'rsa-sha256'
  },
  dateTolerance: {
    flag: FLAG_NAMES.dateTolerance,
    kind: 'number',
    value: 'SECONDS',
    about: 'how far Date, created and expires may be from now',
    fallback: DEFAULTS.dateTolerance
  },
  alsoCovered: {
    flag: FLAG_NAMES.alsoCovered,
    kind: 'list',
    value: 'NAME',
    about: 'a header that must be signed besides the required ones'
  },
  minRsaBits: {
    flag: FLAG_NAMES.minRsaBits,
    kind: 'number',
    value: 'BITS',
    about: 'the shortest RSA key to accept',
    fallback: DEFAULTS.minRsaBits
  },
  maxRsaBits: {
    flag: FLAG_NAMES.maxRsaBits,
    kind: 'number',
    value: 'BITS',
    about: 'the longest RSA key to accept',
    fallback: DEFAULTS.maxRsaBits
  },
  maxBodyBytes: {
    flag: FLAG_NAMES.maxBodyBytes,
    kind: 'number',
    value: 'BYTES',
    about: 'the largest body to accept',
    fallback: DEFAULTS.maxBodyBytes
  },
  bodyTimeout: {
    flag: FLAG_NAMES.bodyTimeout,
    kind: 'number',
    value: 'MS',
    about: 'how long a body may take, from its first byte to its last',
    fallback: DEFAULTS.bodyTimeout
  },
  lookupTimeout: {
    flag: FLAG_NAMES.lookupTimeout,
    kind: 'number',
    value: 'MS',
    about: 'how long DNS may take to answer',
    fallback: DEFAULTS.lookupTimeout
  },
  replayTimeout: {
    flag: FLAG_NAMES.replayTimeout,
    kind: 'number',
    value: 'MS',
    about: 'how long the replay store may take to answer',
    fallback: DEFAULTS.replayTimeout
  }
} as const satisfies Record<DataOption, Flag>

/**
 * Flags that mean the same in every command that has them, by the name of the option in code; each may also be an
 * environment variable. They are the options of `createVerifier` and of what it is given.
 */
export const SHARED = {
  ...VERIFIER_FLAGS,
  /** an option of `dnsTxtLookup` */
  servers: {
    flag: FLAG_NAMES.servers,
    kind: 'list',
    value: 'IP:PORT',
    about: 'ask this DNS server, such as 127.0.0.1:5353',
    fallback: "the system's"
  },
  /** the option `url` of `dohTxtLookup` */
  url: {
    flag: FLAG_NAMES.url,
    kind: 'text',
    value: 'URL',
    about: 'ask this resolver by DNS over HTTPS, such as https://dns.example/dns-query',
    excludes: [FLAG_NAMES.servers]
  },
  /** an option of `dohTxtLookup` */
  requireAuthenticated: {
    flag: FLAG_NAMES.requireAuthenticated,
    kind: 'switch',
    about: 'with --doh: refuse answers that the resolver has not validated by DNSSEC',
    needs: FLAG_NAMES.url
  },
  /** an option of the adapters */
  https: HTTPS
} as const satisfies Record<string, Flag>

/** Flags that are given at each call. */
export const UNSHARED = {
  /** an option of the adapters */
  prefix: {
    flag: FLAG_NAMES.prefix,
    kind: 'text',
    value: 'PATH',
    about: 'a path that a proxy strips, such as /hooks: signed, but not seen by the receiver'
  },
  /** an option of `createAccountClient` */
  authUrl: { flag: FLAG_NAMES.authUrl, kind: 'text', value: 'URL', about: 'the authorization server' },
  /** an option of `createAccountClient` */
  baseUrl: {
    flag: FLAG_NAMES.baseUrl,
    kind: 'text',
    value: 'URL',
    about: 'the REST API, version 4 or later, such as https://api.service.example/v4'
  },
  /** an option of `createAccountClient`, which takes a function */
  selectAccountId: {
    flag: FLAG_NAMES.selectAccountId,
    kind: 'text',
    value: 'PATH',
    about: 'where the account id is in the answer of the API, such as data.ID',
    fallback: 'the usual names'
  }
} as const satisfies Record<string, Flag>

/** Returns the flag for an option that an error names: `--domain` for `serviceDomain`. Another name stays as it is. */
export function inFlags(option: string): string {
  const { [option]: flag }: Readonly<Record<string, string | undefined>> = FLAG_NAMES
  return flag === undefined ? option : `--${flag}`
}
