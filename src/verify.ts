import { readBody } from './body.ts'
import { checkAccount } from './checks/account.ts'
import { checkCoverage } from './checks/coverage.ts'
import { checkDigest, checkDigestHeader } from './checks/digest.ts'
import { checkHost } from './checks/host.ts'
import { checkHttps } from './checks/https.ts'
import { checkKey } from './checks/key.ts'
import { checkKeyName } from './checks/key-name.ts'
import { checkReplay } from './checks/replay.ts'
import { checkRequest } from './checks/request.ts'
import { checkSignature } from './checks/signature.ts'
import { checkSignatureHeader } from './checks/signature-header.ts'
import { rememberFew } from './headers/remember.ts'
import { createKeyRing } from './key/key-ring.ts'
import { createLookUp } from './key/shared-lookup.ts'
import type { VerifierOptions } from './options.ts'
import { publishing } from './publish.ts'
import { assertReceivedRequest, type ReceivedRequest } from './request.ts'
import { createSchemeChooser } from './schemes/choose.ts'
import { readOptions } from './settings.ts'
import { PASSED, PASSED_WITHOUT_REPLAY, refuse, UNREADABLE, type Verdict } from './verdict.ts'

/** Judges one received request. Never throws or rejects for anything a sender, DNS or a store does. */
export type Verify = (request: ReceivedRequest) => Promise<Verdict>

/**
 * Prepares a verifier for the requests of one service to one receiver. Make one and keep it: it remembers parsed
 * keys by their record's text (never the answers of DNS) and lets look-ups in flight share a query.
 *
 * @throws TypeError for a bad option, at once
 */
export function createVerifier(options: VerifierOptions): Verify {
  const settings = readOptions(options)
  const lookUp = createLookUp(settings.lookupTxt, settings.lookupTimeout)
  const keyOf = createKeyRing(settings)
  const schemeOf = createSchemeChooser(settings.schemes)
  const keyNameOf = rememberFew((keyId: string) => checkKeyName(keyId, settings))
  const { replayStore, maxBodyBytes } = settings

  return publishing(async function verify(request: ReceivedRequest): Promise<Verdict> {
    assertReceivedRequest(request)
    const now = settings.now()
    if (!Number.isFinite(now)) throw new TypeError('now() must return milliseconds since 1970')

    // received request -> parsed headers
    const wellFormed = checkRequest(request)
    if (!wellFormed.ok) return refuse({ request: wellFormed }, 'the request is malformed')
    const fields = wellFormed.value
    const choosing = schemeOf(fields)
    const scheme = choosing instanceof Promise ? await choosing : choosing
    const signature = scheme.readSignature(fields, settings)

    // local checks: every one runs, whatever the others say
    const https = checkHttps(request, settings)
    const date = scheme.checkDate(fields, signature, now, settings)
    const host = checkHost(fields, settings)
    const deciding = checkAccount(fields, settings)
    const algorithm = checkSignatureHeader(scheme, signature, now, settings)
    const coverage = signature.ok
      ? checkCoverage(scheme, request, fields, signature.value, settings)
      : UNREADABLE
    const keyName = signature.ok ? keyNameOf(signature.value.keyId) : UNREADABLE
    const digests = checkDigestHeader(scheme, fields)
    const account = deciding instanceof Promise ? await deciding : deciding

    const local = {
      request: wellFormed,
      https,
      date,
      host,
      account,
      'signature-header': algorithm,
      coverage,
      'key-name': keyName
    }
    const passedHead =
      signature.ok &&
      https.ok &&
      date.ok &&
      host.ok &&
      account.ok &&
      algorithm.ok &&
      coverage.ok &&
      keyName.ok &&
      digests.ok
    if (!passedHead)
      return refuse(digests.ok ? local : { ...local, digest: digests }, 'a check of the head did not pass')

    // signing string
    const { headers: covered, signature: signatureBytes, nonce } = signature.value
    const signingString = coverage.value

    // key from DNS
    const answer = await lookUp(keyName.value)
    const key = answer.ok
      ? checkKey(scheme, keyName.value, answer.value, algorithm.value, keyOf, settings)
      : answer
    if (!key.ok) return refuse({ ...local, key }, 'there is no key')

    // signature
    const signed = checkSignature(signingString, signatureBytes, keyName.value, key.value)
    if (!signed.ok) return refuse({ ...local, key, signature: signed }, 'the signature did not verify')

    // body digest
    const reading = readBody(request.body, maxBodyBytes)
    const body = reading instanceof Promise ? await reading : reading
    const digest = body.ok ? checkDigest(digests.value, body.value, fields, covered) : body
    if (!body.ok || !digest.ok)
      return refuse({ ...local, key, signature: signed, digest }, 'the body did not match')

    // accepted once: while its Date is still recent, for that is how long an id is kept
    const later = replayStore === undefined ? now : settings.now()
    const stillRecent = later === now ? date : scheme.checkDate(fields, signature, later, settings)
    if (!stillRecent.ok) {
      return refuse({ ...local, date: stillRecent, key, signature: signed, digest }, 'it became too old')
    }
    const claim = replayStore && (await checkReplay(replayStore, signatureBytes, date.value, later, settings))
    if (claim?.ok === false) return refuse({ ...local, key, signature: signed, digest, replay: claim }, '')

    // verdict
    return {
      status: 'verified',
      scheme: scheme.name,
      accountId: account.value,
      keyId: keyName.value,
      algorithm: signed.value.algorithm,
      date: date.value,
      coveredHeaders: [...covered],
      nonce: nonce ?? (covered.includes('x-nonce') ? fields.values.get('x-nonce') : undefined),
      body: body.value,
      replayId: claim?.value,
      checks: claim === undefined ? PASSED_WITHOUT_REPLAY : PASSED
    }
  })
}
