import { type BodyResult, bufferedBody, readBody } from './body/read.ts'
import { askAccounts, checkAccount, NOT_ASKED } from './checks/account.ts'
import type { Context } from './checks/context.ts'
import { checkCoverage } from './checks/coverage.ts'
import { checkDate } from './checks/date.ts'
import { checkDigest, checkDigestHeader, withSignedLength } from './checks/digest.ts'
import { checkHost } from './checks/host.ts'
import { checkHttps } from './checks/https.ts'
import { checkKey } from './checks/key.ts'
import { checkKeyName } from './checks/key-name.ts'
import { checkReplay } from './checks/replay.ts'
import { checkRequest } from './checks/request.ts'
import { checkSignature } from './checks/signature.ts'
import { checkSignatureHeader, checkSignatureTimes } from './checks/signature-header.ts'
import { assertReceivedRequest } from './http/assert-request.ts'
import { covers, type Fields, valuesOfCovered } from './http/fields.ts'
import type { ReceivedRequest } from './http/request.ts'
import { createKeyCache } from './key/cache.ts'
import { createLookup } from './key/lookup.ts'
import { memoizeRecent } from './memo.ts'
import { kindOf } from './mistakes.ts'
import { type VerifierOptions, validateOptions } from './options/options.ts'
import { createClaims } from './replay/claim.ts'
import { UNREADABLE } from './result/result.ts'
import type { SchemeName } from './result/scheme-name.ts'
import type { SchemeRules } from './standards/scheme.ts'
import { assertVerdict } from './verdict/assert.ts'
import { measured, type Stages, withDiagnostics } from './verdict/diagnostics.ts'
import { createMemory, type Memory, memoryOf, remember } from './verdict/memory.ts'
import { allPassed, type EveryCheck, NO_FAILURES, NO_STORE, type ReturnedByCheck, refuse } from './verdict/refuse.ts'
import type { RefusedRequest } from './verdict/refused-request.ts'
import type { Rejected, Unavailable, Verdict, Verified } from './verdict/verdict.ts'

/** A verifier for the requests of one service to one receiver. */
export interface Verify {
  /**
   * Verifies one received request. Never throws or rejects for anything that a sender, DNS or a store does.
   *
   * @throws (rejects with) TypeError for a programmer's mistake, such as a body that was parsed
   */
  (request: ReceivedRequest): Promise<Verdict>
  /**
   * Releases the claim of a verified request in the replay store, so that a retry of the same bytes is accepted after
   * the receiver's own failure. Does nothing without a store, for a verdict that is not verified, or a second time.
   *
   * @throws (rejects) when the store cannot be reached or is late: it is then tried again until the id expires, and
   *   nobody has to wait. With TypeError for what is not a verdict of this verifier: a copy has no claim.
   */
  release(verdict: Verdict): Promise<void>
}

/**
 * Prepares a verifier for the requests of one service to one receiver. Make one and keep it: it remembers parsed
 * keys by their record's text (never the answers of DNS), and lookups in flight share a query.
 *
 * @example
 * const verify = createVerifier({
 *   serviceDomain: 'service.example',
 *   hosts: 'hooks.example.com',
 *   accounts: '1234'
 * })
 * const verdict = await verify(fromNodeRequest(req))
 *
 * @throws TypeError for a bad option, at once
 */
export function createVerifier(options: VerifierOptions): Verify {
  const settings = validateOptions(options)
  const given = { ...options }
  const lookup = createLookup(settings.lookupTxt, settings.lookupTimeout)
  const keyOf = createKeyCache(settings)
  const { replayStore, replayTimeout, recorder } = settings
  const claims = replayStore && createClaims(replayStore, replayTimeout)
  // A service has one key a month.
  const keyNameOf = memoizeRecent((keyId: string) => checkKeyName(keyId, settings))

  async function verify(request: ReceivedRequest, stages?: Stages): Promise<Verdict> {
    assertReceivedRequest(request)
    const now = readClock(settings.now)
    const seen = createMemory(settings, now)

    // received request -> parsed headers
    const wellFormed = checkRequest(request)
    if (!wellFormed.ok) return refused(request, seen, { request: wellFormed }, 'the request is malformed')
    const fields = wellFormed.value
    const scheme = chooseScheme(fields, settings.schemes)
    const signature = scheme.parseSignature(fields, settings)
    const time = scheme.parseTime(fields, signature)
    const context: Context = { request, fields, scheme, signature, time, settings }
    seen.keyId = signature.ok ? signature.value.keyId : undefined
    seen.account = fields.values.get(settings.accountHeader)

    // local checks: all of them run, even when another fails
    const https = checkHttps(context)
    const date = checkDate(context, now)
    const host = checkHost(context)
    const account = checkAccount(context)
    const isAsked = account.ok && typeof settings.accounts === 'function'
    const algorithm = checkSignatureHeader(context, now)
    const coverage = checkCoverage(context)
    const keyName = signature.ok ? keyNameOf(signature.value.keyId) : UNREADABLE
    const digests = checkDigestHeader(context)

    const returned: EveryCheck = {
      request: wellFormed,
      https,
      date,
      host,
      account: isAsked ? NOT_ASKED : account,
      'signature-header': algorithm,
      coverage,
      'key-name': keyName,
      key: undefined,
      signature: undefined,
      digest: digests.ok ? undefined : digests,
      replay: undefined
    }
    const passed =
      https.ok && date.ok && host.ok && account.ok && algorithm.ok && coverage.ok && keyName.ok && digests.ok
    if (!signature.ok || !passed) return refused(request, seen, returned, 'a check of the head did not pass')

    const { headers: covered, signature: signatureBytes, nonce } = signature.value

    // key from DNS
    const reply = await measured(stages, 'keyMs', () => lookup(keyName.value, request.signal))
    seen.keyName = keyName.value
    seen.reply = reply
    const key = reply.ok ? checkKey(context, keyName.value, reply.value, algorithm.value, keyOf) : reply
    returned.key = key
    if (!key.ok) return refused(request, seen, returned, 'no usable key')

    // signature over the signing string, which is the value of the coverage check
    const match = checkSignature(context, coverage.value, signatureBytes, keyName.value, key.value)
    returned.signature = match
    if (!match.ok) return refused(request, seen, returned, 'the signature did not verify')
    const accepted = isAsked ? await askAccounts(account.value, settings) : account
    returned.account = accepted
    if (!accepted.ok) return refused(request, seen, returned, 'the account was not accepted')

    // body
    const body =
      bufferedBody(request.body, settings) ??
      (await measured(stages, 'bodyMs', () => readBody(request.body, settings, fields.values.get('content-length'))))
    const digest = body.ok ? checkDigest(digests.value, body.value) : body
    returned.digest = digest
    if (!body.ok) return refused(request, seen, returned, 'the body was not accepted', body)
    if (!digest.ok) {
      returned.digest = withSignedLength(digest, fields, covered)
      seen.received = { body: body.value, fields, digests: digests.value }
      return refused(request, seen, returned, 'the body was not accepted', body)
    }

    // still recent: waiting for DNS and a slow body must not make an old head acceptable
    const later = readClock(settings.now)
    seen.now = later
    const recent = checkDate(context, later)
    const times = checkSignatureTimes(signature.value, later, settings)
    returned.date = recent
    returned['signature-header'] = times
    if (!recent.ok || !times.ok) return refused(request, seen, returned, 'the request became too old', body)

    // accepted once
    const claim =
      claims &&
      (await measured(stages, 'replayMs', () => checkReplay(claims, signatureBytes, date.value, later, settings)))
    if (claim?.ok === false) {
      returned.replay = claim
      return refused(request, seen, returned, 'every other check was run', body)
    }

    // verdict
    const verdict: Verified = {
      status: 'verified',
      failures: NO_FAILURES,
      scheme: scheme.name,
      accountId: account.value,
      keyId: keyName.value,
      algorithm: match.value.algorithm,
      date: date.value,
      coveredHeaders: covered.slice(),
      coveredValues: valuesOfCovered(covered, fields),
      nonce: nonce ?? (covers(covered, 'x-nonce') ? fields.values.get('x-nonce') : undefined),
      body: body.value,
      replayId: claim?.value.id,
      checks: allPassed({
        request: wellFormed,
        https,
        date: recent,
        host,
        account: accepted,
        'signature-header': times,
        coverage,
        'key-name': keyName,
        key,
        signature: match,
        digest,
        replay: claim ?? NO_STORE
      })
    }
    seen.claim = claim?.value
    return remember(verdict, seen)
  }

  /**
   * Makes the verdict of a request that is not verified. The recorder keeps it, with the part of the body that was
   * read.
   */
  function refused(
    request: ReceivedRequest,
    seen: Memory,
    returned: ReturnedByCheck,
    reason: string,
    body?: BodyResult
  ): Rejected | Unavailable {
    const verdict = refuse(returned, reason, seen)
    recorder?.record({ request, verdict, seen, options: given, body } satisfies RefusedRequest)
    return verdict
  }

  async function release(verdict: Verdict): Promise<void> {
    assertVerdict('verify.release', verdict)
    if (claims === undefined || (verdict as Partial<Verified>).replayId === undefined) return
    const seen = memoryOf(verdict)
    if (seen?.settings !== settings)
      throw new TypeError(
        'verify.release() got a copy of a verdict, or one of another verifier: pass its own, unchanged'
      )
    const { claim } = seen
    if (claim === undefined) return
    seen.claim = undefined
    try {
      await claims.release(claim)
    } catch (error) {
      seen.claim = claim
      throw error
    }
  }

  return Object.assign(withDiagnostics(verify), { release })
}

/**
 * Chooses the scheme to verify a request by: RFC 9421 if that is allowed and there is a Signature-Input (section 4.1),
 * the draft otherwise. Never both, so an attacker cannot choose the weaker reading of a request.
 */
export function chooseScheme(fields: Fields, schemes: readonly SchemeRules[]): SchemeRules {
  const wanted: SchemeName = fields.values.has('signature-input') ? 'rfc9421' : 'draft-cavage'
  return schemes.find(({ name }) => name === wanted) ?? schemes[0]!
}

function readClock(clock: () => number): number {
  const now = clock()
  if (!Number.isFinite(now)) throw new TypeError(`now() returned ${kindOf(now)}: return milliseconds since 1970`)
  return now
}
