import { randomUUID } from 'node:crypto'
import type { LookupTxt } from '../key/dns.ts'
import type { VerifierOptions } from '../options/options.ts'
import { type TestServiceOptions, validateServiceOptions } from './service-options.ts'
import { type SignedTestRequest, signRequest } from './sign.ts'
import type { SignRequest } from './sign-options.ts'
import { createSigningKey, type SigningKey } from './signing-key.ts'

/** A stand-in for the service: it signs requests as the service would, and publishes its keys. */
export interface TestService {
  /** a request as the service would send it, ready for `verify` */
  sign(request?: SignRequest): SignedTestRequest
  /** in-memory DNS with the service's keys, for the verifier's `lookupTxt` */
  readonly lookupTxt: LookupTxt
  /** name -> TXT records, each a list of chunks: to serve from a real DNS server, or to change */
  readonly records: Record<string, string[][]>
  /** next month's key under a new name; the records of the earlier ones stay. Returns the new name. */
  rotateKey(): string
  /** options for `createVerifier`: the service's domain, this receiver's host, the account and the in-memory DNS */
  readonly options: TestServiceVerifierOptions
}

/** What a verifier of the service needs; spread it to add options: `{ ...service.options, replayStore }`. */
export type TestServiceVerifierOptions = Pick<
  VerifierOptions,
  'serviceDomain' | 'hosts' | 'accounts' | 'accountHeader'
> & {
  lookupTxt: LookupTxt
}

/** The host that requests are signed for by default. */
const HOST = 'receiver.example'

/**
 * A service to test a receiver with: keys, an in-memory DNS, and a signer.
 *
 * @example
 * const service = createTestService()
 * const verify = createVerifier(service.options)
 * const verdict = await verify(service.sign({ method: 'POST', target: '/hook', body: '{"id":1}' }))
 * @throws TypeError for a bad option
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  const { serviceDomain, accountId, accountHeader, rsaBits } = validateServiceOptions(options)
  const records: Record<string, string[][]> = Object.create(null)
  let key: SigningKey
  let month = 0

  function rotateKey(): string {
    month += 1
    key = createSigningKey(`key${month}._domainkey.${serviceDomain}`, rsaBits)
    records[key.keyId] = [key.record]
    return key.keyId
  }
  rotateKey()

  const lookupTxt: LookupTxt = async name => {
    const found = Object.hasOwn(records, name) ? records[name] : undefined
    if (found === undefined)
      throw Object.assign(new Error(`queryTxt ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
    return found
  }

  return {
    sign: (request = {}) =>
      signRequest(request, key, {
        host: HOST,
        account: [accountHeader, `account-${accountId}`],
        nonce: randomUUID(),
        now: new Date()
      }),
    lookupTxt,
    records,
    rotateKey,
    options: { serviceDomain, hosts: [HOST], accounts: [accountId], accountHeader, lookupTxt }
  }
}
