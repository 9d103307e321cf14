import { SCHEMES } from '../fixture/setup.ts'
import type { Scheme } from '../scheme.ts'
import { UsageError } from './usage.ts'

/** Options that mean the same in every command that has them. */
export const ACCOUNT_HEADER = {
  type: 'string',
  value: 'NAME',
  about: 'the header that carries the account',
  default: 'X-Service-ID'
} as const

export const ACCOUNT_PREFIX = {
  type: 'string',
  value: 'TEXT',
  about: 'the text before the account id in it',
  default: 'account-'
} as const

export const PREFIX = {
  type: 'string',
  value: 'PATH',
  about:
    'a part of the path that a proxy strips, such as /hooks: it is signed, but the receiver does not see it'
} as const

export const SCHEME = {
  type: 'string',
  multiple: true,
  value: 'NAME',
  about: 'judge by draft-cavage or rfc9421',
  otherwise: 'draft-cavage'
} as const

/** The schemes that `--scheme` names. */
export const schemesOf = (names: readonly string[]): Scheme[] =>
  names.map(name => {
    if (Object.hasOwn(SCHEMES, name)) return SCHEMES[name as keyof typeof SCHEMES]
    throw new UsageError('--scheme must be draft-cavage or rfc9421')
  })

export const ALGORITHM = {
  type: 'string',
  multiple: true,
  value: 'NAME',
  about: 'an algorithm to accept',
  otherwise: 'rsa-sha256'
} as const

export const DNS_SERVER = {
  type: 'string',
  multiple: true,
  value: 'IP:PORT',
  about: 'ask this DNS server, such as 127.0.0.1:5353',
  otherwise: "the system's"
} as const

export const JSON_OUTPUT = { type: 'boolean', about: 'print the result as JSON' } as const
