import type { SchemeName } from '../src/index.ts'
import { FLAG_NAMES, OPTIONS, type OptionName } from '../src/internal/command-line.ts'
import type { Flag } from './flag.ts'

const DRAFT: SchemeName = 'draft-cavage'

const HTTPS = {
  flag: FLAG_NAMES.https,
  kind: 'text',
  value: 'WHAT',
  choices: ['x-forwarded-proto', 'always', 'not-required'],
  about:
    'how a request counts as HTTPS: x-forwarded-proto, by that header of your proxy; always, if all arrive over TLS; ' +
    'not-required, to accept plain HTTP'
} as const

type Options = typeof OPTIONS

/** An option whose value is code has no flag. */
type DataOption = { [N in OptionName]: Options[N]['kind'] extends 'code' ? never : N }[OptionName]

/** The part of a flag that the option says itself. */
type FlagOf<N extends DataOption> = Pick<Options[N], 'flag' | 'kind'> &
  (Options[N] extends { fallback: infer F extends string | number } ? { readonly fallback: F } : unknown)

/** Returns what an option says of its flag. Its default is in the help text where it is one text or number. */
function flagOf<N extends DataOption>(name: N): FlagOf<N> {
  const { flag, kind, fallback }: { flag: string; kind: string; fallback?: unknown } = OPTIONS[name]
  const isShown = typeof fallback === 'string' || typeof fallback === 'number'
  return { flag, kind, ...(isShown && { fallback }) } as unknown as FlagOf<N>
}

/** The options of `createVerifier` on a command line and in a help text. */
const VERIFIER_FLAGS = {
  serviceDomain: {
    ...flagOf('serviceDomain'),
    value: 'NAME',
    about: 'accept only keys under this domain of the service'
  },
  hosts: { ...flagOf('hosts'), value: 'NAME', about: 'accept requests to this host name' },
  accounts: { ...flagOf('accounts'), value: 'ID', about: 'accept this account id' },
  accountHeader: { ...flagOf('accountHeader'), value: 'NAME', about: 'header that carries the account' },
  accountPrefix: {
    ...flagOf('accountPrefix'),
    value: 'TEXT',
    about: 'text before the account id in that header'
  },
  requireHttps: HTTPS,
  schemes: {
    ...flagOf('schemes'),
    value: 'NAME',
    choices: [DRAFT, 'rfc9421'] satisfies SchemeName[],
    about: 'accept this standard: draft-cavage or rfc9421',
    fallback: DRAFT
  },
  algorithms: { ...flagOf('algorithms'), value: 'NAME', about: 'accept this algorithm', fallback: 'rsa-sha256' },
  dateTolerance: {
    ...flagOf('dateTolerance'),
    value: 'SECONDS',
    about: 'accept Date, created and expires this far from now'
  },
  alsoCovered: {
    ...flagOf('alsoCovered'),
    value: 'NAME',
    about: 'require this header to be signed, too'
  },
  minRsaBits: { ...flagOf('minRsaBits'), value: 'BITS', about: 'reject shorter RSA keys' },
  maxRsaBits: { ...flagOf('maxRsaBits'), value: 'BITS', about: 'reject longer RSA keys' },
  maxBodyBytes: { ...flagOf('maxBodyBytes'), value: 'BYTES', about: 'reject larger bodies' },
  bodyTimeout: {
    ...flagOf('bodyTimeout'),
    value: 'MS',
    about: 'wait this long for a body'
  },
  lookupTimeout: { ...flagOf('lookupTimeout'), value: 'MS', about: 'wait this long for DNS' },
  replayTimeout: { ...flagOf('replayTimeout'), value: 'MS', about: 'wait this long for the replay store' }
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
    about: 'ask this DNS over HTTPS resolver, such as https://dns.example/dns-query',
    excludes: [FLAG_NAMES.servers]
  },
  /** an option of `dohTxtLookup` */
  requireAuthenticated: {
    flag: FLAG_NAMES.requireAuthenticated,
    kind: 'switch',
    about: 'with --doh: require answers that the resolver validated by DNSSEC',
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
    about: 'path prefix that your proxy strips, such as /hooks'
  },
  /** an option of `createAccountClient` */
  authUrl: { flag: FLAG_NAMES.authUrl, kind: 'text', value: 'URL', about: 'authorization server' },
  /** an option of `createAccountClient` */
  baseUrl: {
    flag: FLAG_NAMES.baseUrl,
    kind: 'text',
    value: 'URL',
    about: 'REST API, version 4 or later, such as https://api.service.example/v4'
  },
  /** an option of `createAccountClient`, which takes a function */
  selectAccountId: {
    flag: FLAG_NAMES.selectAccountId,
    kind: 'text',
    value: 'PATH',
    about: 'path of the account id in the answer, such as data.ID',
    fallback: 'the usual names'
  }
} as const satisfies Record<string, Flag>

/** Returns the flag for an option that an error names: `--domain` for `serviceDomain`. Another name stays as it is. */
export function inFlags(option: string): string {
  const { [option]: flag }: Readonly<Record<string, string | undefined>> = FLAG_NAMES
  return flag === undefined ? option : `--${flag}`
}
