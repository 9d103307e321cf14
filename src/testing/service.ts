import type { Bytes } from '../core/http/request.ts'
import { RSA_BITS } from '../core/key/rsa-der.ts'
import type { LookupTxt } from '../core/key/types.ts'
import { validateCall } from '../core/mistakes.ts'
import type { VerifierOptions } from '../core/options/options.ts'
import { DEFAULTS } from '../core/options/options.ts'
import { validateAccounts, validateDomain, validateHeaderName, validateNumber } from '../core/options/values.ts'
import { lookupInRecords } from '../fixture/setup.ts'
import { recordsOf } from './records.ts'
import type { SignedTestRequest, SignRequest } from './sign.ts'
import { createSigningKey, signRequest } from './sign.ts'

/** Options of `createTestService`; none is required. */
export interface TestServiceOptions {
  /** the domain of its keys; `service.example` by default */
  serviceDomain?: string | undefined
  /** the account the requests are for; `1234` by default */
  accountId?: string | undefined
  /** the header that carries the account; `X-Service-ID` by default */
  accountHeader?: string | undefined
  /** bits of its RSA keys; 1024 by default, because longer keys take longer to make */
  rsaBits?: number | undefined
}

/** A stand-in for the service: it signs requests as the service would, and publishes its keys. */
export interface TestService {
  /** Signs a request as the service would. Pass it to `verify`. */
  sign(request: SignRequest & { body: string | Uint8Array }): SignedTestRequest & { body: Bytes }
  /** Does the same for a request that may have no body. */
  sign(request?: SignRequest): SignedTestRequest
  /** in-memory DNS with the service's keys, for the verifier's `lookupTxt` */
  readonly lookupTxt: LookupTxt
  /** name -> TXT records, each a list of chunks: to serve from a real DNS server, or to change */
  readonly records: Record<string, string[][]>
  /** Makes next month's key under a new name, and returns the name. The earlier records stay. */
  rotateKey(): string
  /** options for `createVerifier`: the service's domain, this receiver's host, the account and the in-memory DNS */
  readonly options: TestServiceVerifierOptions
}

/**
 * The options that a verifier of the service needs; spread it to add options: `{ ...service.options, replayStore }`.
 */
export interface TestServiceVerifierOptions extends Pick<VerifierOptions, 'serviceDomain' | 'hosts' | 'accounts'> {
  accountHeader: string
  lookupTxt: LookupTxt
}

const OPTIONS = ['serviceDomain', 'accountId', 'accountHeader', 'rsaBits'] as const

const ACCOUNT_PREFIX = { option: 'accountPrefix', value: DEFAULTS.accountPrefix }

/** The host that requests are signed for by default. */
const HOST = 'receiver.example'

/**
 * Creates a service to test a receiver with: keys, an in-memory DNS, and a signer.
 *
 * @throws TypeError for a bad option
 * @example
 * ```ts
 * import { createVerifier } from 'signed-requests'
 * import { createTestService } from 'signed-requests/testing'
 *
 * const service = createTestService()
 * const verify = createVerifier(service.options)
 * const signed = service.sign({ method: 'POST', target: '/hook', body: '{"id":1}' })
 * console.log((await verify(signed)).status, new Request(`https://receiver.example${signed.target}`, signed).url)
 * ```
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  const [{ accountId, accountHeader }, domain, bits] = validateCall(
    createTestService,
    'createTestService',
    options,
    OPTIONS,
    ({ serviceDomain = 'service.example', accountId = '1234', accountHeader = DEFAULTS.accountHeader, rsaBits }) => [
      () => ({ accountId, accountHeader }),
      () => validateDomain(serviceDomain, 'serviceDomain'),
      () => validateNumber(rsaBits, RSA_BITS.min, 'rsaBits', 'bits', { min: 512, max: 16_384 }),
      () => validateAccounts(accountId, 'accountId', ACCOUNT_PREFIX),
      () => validateHeaderName(accountHeader, 'accountHeader')
    ]
  )
  const records: Record<string, string[][]> = Object.create(null)
  let key: ReturnType<typeof createSigningKey>
  let month = 0

  function rotateKey(): string {
    month += 1
    key = createSigningKey(`key${month}._domainkey.${domain}`, bits)
    records[key.keyId] = [key.record]
    return key.keyId
  }
  rotateKey()

  const lookupIn = lookupInRecords(records)
  const lookupTxt: LookupTxt = async (name, context) => {
    // A verdict has this TypeError as its cause, and `explain` prints it.
    recordsOf(records, name)
    return lookupIn(name, context)
  }
  const sign = (request: SignRequest = {}) =>
    signRequest(request, key, {
      host: HOST,
      account: [accountHeader, `${DEFAULTS.accountPrefix}${accountId}`]
    })

  return {
    sign: sign as TestService['sign'],
    lookupTxt,
    records,
    rotateKey,
    options: { serviceDomain: domain, hosts: [HOST], accounts: [accountId], accountHeader, lookupTxt }
  }
}
