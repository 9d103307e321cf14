import type { BodyResult } from './body/read.ts'
import { askAccounts, checkAccount } from './checks/account.ts'
import type { Examination, Tools } from './checks/context.ts'
import { checkCoverage } from './checks/coverage.ts'
import { checkDate } from './checks/date.ts'
import { checkDigest, checkDigestHeader } from './checks/digest.ts'
import { checkHost } from './checks/host.ts'
import { checkHttps } from './checks/https.ts'
import { checkKey } from './checks/key.ts'
import { checkKeyName, parseKeyName } from './checks/key-name.ts'
import { checkReplay } from './checks/replay.ts'
import { checkRequest } from './checks/request.ts'
import { checkSignature } from './checks/signature.ts'
import { checkSignatureHeader, checkSignatureTimes } from './checks/signature-header.ts'
import { Stages } from './checks/stage.ts'
import { assertReceivedRequest } from './http/assert-request.ts'
import { covers, type Fields, valuesOfCovered } from './http/fields.ts'
import type { ReceivedRequest } from './http/request.ts'
import { createKeyCache } from './key/cache.ts'
import { createLookup } from './key/lookup.ts'
import { memoizeRecent } from './memo.ts'
import { atCaller, mistake } from './mistakes.ts'
import { type Settings, type VerifierOptions, validateOptions } from './options/options.ts'
import { type Claims, createClaims } from './replay/claim.ts'
import type { CheckName } from './result/codes.ts'
import { type Failed, fail } from './result/result.ts'
import type { SchemeName } from './result/scheme-name.ts'
import type { SchemeRules } from './standards/scheme.ts'
import { assertVerdict } from './verdict/assert.ts'
import { type Stages as Timing, withDiagnostics } from './verdict/diagnostics.ts'
import { createMemory, memoryOf, remember } from './verdict/memory.ts'
import { allPassed, NO_FAILURES, type Returned, refuse } from './verdict/refuse.ts'
import type { RefusedRequest } from './verdict/refused-request.ts'
import type { Rejected, Unavailable, Verdict, Verified } from './verdict/verdict.ts'

/** A verifier for the requests of one service to one receiver. */
export interface Verify {
  /**
   * Verifies one received request. Whatever a sender, DNS or a store does ends in a verdict.
   *
   * @throws (rejects with) TypeError for a programmer's mistake, such as a body that was parsed
   */
  (request: ReceivedRequest): Promise<Verdict>
  /**
   * Releases the claim of a verified request in the replay store, so that a retry of the same bytes is accepted after
   * the receiver's own failure. Does nothing without a store, for a verdict that is not verified, or a second time.
   *
   * @throws (rejects) if the store cannot be reached or is late; the release is then retried in the background until
   *   the
   *   id expires. With TypeError for anything but a verdict of this verifier: a copy has no claim.
   */
  release(verdict: Verdict): Promise<void>
}

/**
 * Makes a verifier for the requests of one service to one receiver. Make it once, when the process starts: it caches
 * parsed keys by their record's text (never DNS answers), and lookups in flight share a query.
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
  const settings = atCaller(createVerifier, () => validateOptions(options))
  const { recorder } = settings
  const ownOptions = { ...options }
  const tools = createTools(settings)

  async function verify(request: ReceivedRequest, timing?: Timing): Promise<Verdict> {
    assertReceivedRequest(request)
    const memory = createMemory(settings, readClock(settings.now))
    const examination = examine({ request, settings, tools, timing, memory })
    if ('code' in examination) return refused({ request: examination }, 'the request is malformed')
    const passed = await STAGES.run(examination)
    return typeof passed === 'string' ? refused(examination.results, passed, examination.body) : verified(passed)

    function refused(results: Returned, reason: string, body?: BodyResult): Rejected | Unavailable {
      const verdict = refuse(results, reason, memory)
      recorder?.record({ request, verdict, seen: memory, options: ownOptions, body } satisfies RefusedRequest)
      return verdict
    }
  }

  return Object.assign(withDiagnostics(verify), {
    release: (verdict: Verdict) => release(verdict, settings, tools.claims)
  })
}

/** The stages, and why the checks of later ones were not run when one does not pass. */
const STAGES = /* @__PURE__ */ new Stages<'request'>()
  // the head: all of these run, even when another fails
  .add(
    {
      https: checkHttps,
      date: checkDate,
      host: checkHost,
      account: checkAccount,
      'signature-header': checkSignatureHeader,
      coverage: checkCoverage,
      'key-name': checkKeyName,
      'digest-header': checkDigestHeader
    },
    'a check of the head did not pass'
  )
  // the key from DNS
  .add({ key: checkKey }, 'no usable key')
  .add({ signature: checkSignature }, 'the signature did not verify')
  // only now: an untrusted request must not cause I/O
  .add({ account: askAccounts }, 'the account was not accepted')
  .add({ digest: checkDigest }, 'the body was not accepted')
  // still recent: waiting for DNS and a slow body must not make an old head acceptable
  .add(
    { date: examination => checkDate(atPresent(examination)), 'signature-header': checkSignatureTimes },
    'the request became too old'
  )
  // accepted once
  .add({ replay: checkReplay }, 'every other check was run')

/** Makes what all verifications of one verifier share. */
function createTools(settings: Settings): Tools {
  const { replayStore, replayTimeout, lookupTxt, lookupTimeout } = settings
  return {
    lookup: createLookup(lookupTxt, lookupTimeout),
    keyOf: createKeyCache(settings),
    keyNameOf: memoizeRecent((keyId: string) => parseKeyName(keyId, settings)),
    claims: replayStore && createClaims(replayStore, replayTimeout)
  }
}

type Received = Pick<Examination, 'request' | 'settings' | 'tools' | 'timing' | 'memory'>

/** Parses the headers and what the signature says of itself. Fails with `request-malformed`. */
function examine({ request, settings, tools, timing, memory }: Received): Examination<'request'> | Failed {
  const wellFormed = checkRequest(request)
  if (!wellFormed.ok) return wellFormed
  const fields = wellFormed.value
  const scheme = chooseScheme(fields, settings.schemes)
  if (!scheme.isSignableMethod(request.method)) return fail('request-malformed', { part: 'method' })
  const signature = scheme.parseSignature(fields, settings)
  const time = scheme.parseTime(fields, signature)
  memory.keyId = signature.ok ? signature.value.keyId : undefined
  memory.account = fields.values.get(settings.accountHeader)
  memory.host = fields.values.get('host')
  const { now } = memory
  const results = { request: wellFormed }
  return { request, settings, tools, timing, memory, now, fields, scheme, signature, time, results, body: undefined }
}

/** Reads the clock again. */
function atPresent<E extends Examination>(examination: E): E {
  examination.now = readClock(examination.settings.now)
  examination.memory.now = examination.now
  return examination
}

/** Makes the verdict when every check has passed. A declared check that no stage runs does not compile here. */
function verified({ fields, scheme, results, memory }: Examination<Exclude<CheckName, 'replay'>>): Verified {
  const { nonce, headers: covered } = results['signature-header'].value.parsed
  const claim = results.replay?.ok ? results.replay.value : undefined
  const verdict: Verified = {
    status: 'verified',
    failures: NO_FAILURES,
    scheme: scheme.name,
    accountId: results.account.value,
    keyId: results['key-name'].value,
    algorithm: results.signature.value.algorithm,
    date: results.date.value,
    coveredHeaders: covered.slice(),
    coveredValues: valuesOfCovered(covered, fields),
    nonce: nonce ?? (covers(covered, 'x-nonce') ? fields.values.get('x-nonce') : undefined),
    body: results.digest.value,
    replayId: claim?.id,
    checks: allPassed(claim !== undefined)
  }
  memory.claim = claim
  return remember(verdict, memory)
}

/** Gives the claim of a verified request back to the store. */
async function release(verdict: Verdict, settings: Settings, claims: Claims | undefined): Promise<void> {
  assertVerdict('verify.release', verdict)
  if (claims === undefined || (verdict as Partial<Verified>).replayId === undefined) return
  const memory = memoryOf(verdict)
  if (memory?.settings !== settings)
    throw mistake(
      'verify.release() got',
      verdict,
      'pass its own, unchanged',
      () => 'a copy of a verdict, or one of another verifier'
    )
  const { claim } = memory
  if (claim === undefined) return
  memory.claim = undefined
  try {
    await claims.release(claim)
  } catch (error) {
    memory.claim = claim
    throw error
  }
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
  if (!Number.isFinite(now)) throw mistake('now() returned', now, 'return milliseconds since 1970')
  return now
}
