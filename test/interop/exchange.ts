import { createHash } from 'node:crypto'
import {
  buildSigningString,
  createVerifier,
  importPublicKey,
  parseKeyRecord,
  parseSignatureHeader,
  type ReceivedRequest,
  verifySignature
} from '../../src/index.ts'
import { buildSignatureBase, parseSignatureInput, parseSignatures } from '../../src/rfc9421/index.ts'
import { signRequest } from '../../src/testing/sign.ts'
import { createSigningKey } from '../../src/testing/signing-key.ts'
import { ONE } from '../vectors/build/keys.ts'
import { type Case, HOST, type Line } from './cases.ts'
import { KEY_ID, type Peer, PRIVATE_PEM } from './peers/peer.ts'

/** What came of a case between a peer and us: `yes`, or why not. */
export interface Outcomes {
  /** the peer signs, we verify */
  theySign: string
  /** we sign, the peer verifies */
  weSign: string
  /** the same with the method changed: must not be verified, undefined where the first was not */
  tampered: string | undefined
}

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: HOST,
  accounts: '1234',
  schemes: ['draft-cavage', 'rfc9421'],
  algorithms: ['rsa-sha256', 'hs2019', 'rsa-v1_5-sha256'],
  lookupTxt: async () => [[ONE.record]]
})

export async function outcomes(peer: Peer, one: Case): Promise<Outcomes> {
  const weSign = await attempt(() => verifyOurs(peer, one, one))
  return {
    theySign: await attempt(() => verifyTheirs(peer, one)),
    weSign,
    tampered:
      weSign === 'yes' ? await attempt(() => verifyOurs(peer, one, { ...one, method: 'DELETE' })) : undefined
  }
}

async function attempt(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    return `throws: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The lines of a request before it is signed. */
function unsignedLines({ headers, body }: Case, scheme: Peer['scheme']): Line[] {
  const digest = createHash('sha256').update(body).digest('base64')
  return [
    ['Host', HOST],
    ['Date', new Date().toUTCString()],
    ['X-Service-ID', 'account-1234'],
    scheme === 'rfc9421' ? ['Content-Digest', `sha-256=:${digest}:`] : ['Digest', `SHA-256=${digest}`],
    ...headers
  ]
}

async function verifyTheirs(peer: Peer, one: Case): Promise<string> {
  const lines = unsignedLines(one, peer.scheme)
  const headers = [...lines, ...(await peer.sign(one, lines))]
  const { method, target, body } = one
  const request = { method, target, headers, body, https: true }
  if (peer.keyId !== undefined) return verifyBySteps(peer, request)
  const verdict = await verify(request)
  return verdict.status === 'verified' ? 'yes' : verdict.failures.map(({ code }) => code).join(', ')
}

/** Signed as the test service signs, with the peers' key. */
async function verifyOurs(peer: Peer, one: Case, arrived: Case): Promise<string> {
  const { method, target, body, covered } = one
  const lines = unsignedLines(one, peer.scheme)
  const joined = new Map<string, string>()
  for (const [name, value] of lines) {
    const before = joined.get(name)
    joined.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  const signed: ReceivedRequest = signRequest(
    { method, target, body, covered, headers: joined, scheme: peer.scheme },
    createSigningKey(peer.keyId ?? KEY_ID, 2048, PRIVATE_PEM),
    { host: HOST, account: ['X-Service-ID', 'account-1234'], nonce: 'n-1', now: new Date() }
  )
  const own = (signed.headers as readonly Line[]).filter(([name]) => name.startsWith('Signature'))
  return (await peer.verify(arrived, [...lines, ...own])) ? 'yes' : 'no'
}

const publicKey = (() => {
  const record = parseKeyRecord(ONE.record)
  const key = record.ok ? importPublicKey(record.value) : record
  if (!key.ok) throw new Error(key.message)
  return key.value
})()

/** Signing string and signature alone. */
function verifyBySteps(peer: Peer, request: ReceivedRequest & { headers: readonly Line[] }): string {
  const value = (name: string) => request.headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? ''
  if (peer.scheme === 'draft-cavage') {
    const parsed = parseSignatureHeader(value('signature'))
    if (!parsed.ok) return parsed.code
    const { headers, signature, algorithm = 'rsa-sha256' } = parsed.value
    const text = buildSigningString(request, headers, parsed.value)
    if (!text.ok) return text.code
    return verifySignature(text.value, signature, publicKey, algorithm) ? 'yes' : 'signature-mismatch'
  }
  const inputs = parseSignatureInput(value('signature-input'))
  if (!inputs.ok) return inputs.code
  const [input] = inputs.value
  const signatures = parseSignatures(value('signature'))
  if (!signatures.ok) return signatures.code
  const signature = signatures.value.get(input!.label)
  if (signature === undefined) return 'signature-parameter-missing'
  const base = buildSignatureBase(request, input!)
  if (!base.ok) return base.code
  return verifySignature(base.value, signature, publicKey, input!.algorithm ?? 'rsa-v1_5-sha256')
    ? 'yes'
    : 'signature-mismatch'
}
