import { constants, createHash, sign } from 'node:crypto'
import { ONE } from '../../fixtures/source/keys.ts'
import {
  buildSigningString,
  createVerifier,
  importPublicKey,
  parseKeyRecord,
  parseSignatureHeader,
  type ReceivedRequest,
  verifySignature
} from '../../src/index.ts'
import { draftCavage } from '../../src/standards/draft-cavage/scheme.ts'
import { buildSignatureBase, parseSignatureInput, parseSignatures, rfc9421 } from '../../src/standards/rfc9421/index.ts'
import { createSigningKey, signRequest } from '../../src/testing/sign.ts'
import { type Case, HOST, type Line } from './cases.ts'
import { KEY_ID, type Peer, PRIVATE_PEM, preparationsOf } from './peers/peer.ts'

/**
 * What came of a case between a peer and us: `yes`; or why it was verified without the case having been judged, one of
 * `NOT_JUDGED`; or why it was not verified, as the one who refused it says.
 */
export interface Outcomes {
  /** the peer signs, we verify */
  theySign: string
  /** we sign, the peer verifies */
  weSign: string
  /** what was verified after it had been tampered with */
  tampered: readonly string[]
}

/** Outcomes of a signature that was verified, of which the case was not a part. */
export const NOT_JUDGED: Readonly<Record<string, string>> = {
  'own list': 'it signs a list of its own choice, without what the case is about',
  'own algorithm': 'it signs with an algorithm of its own choice',
  'joined by the test': 'it takes one value for a name, so the test joined the lines for it',
  'trimmed by the test': 'it takes values as node:http has trimmed them, which the test did for it',
  'lower-cased by the test': 'it takes names as node:http has lower-cased them, which the test did for it',
  'body not judged': 'it neither makes the digest nor compares it with the body'
}

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: HOST,
  accounts: '1234',
  schemes: [draftCavage, rfc9421],
  algorithms: ['rsa-sha256', 'hs2019', 'rsa-v1_5-sha256'],
  lookupTxt: async () => [[ONE.record]]
})

export async function outcomes(peer: Peer, one: Case): Promise<Outcomes> {
  const tampered: string[] = []
  const theirs = await attempt(async () => {
    const request = await signedByPeer(peer, one)
    const outcome = await judge(peer, one, request)
    if (outcome === 'yes') {
      if ((await judge(peer, one, tamper(request))) === 'yes') tampered.push('by us')
      return judgedInTheirs(peer, one, request)
    }
    return outcome
  })
  const ours = await attempt(async () => {
    const request = signedByUs(peer, one)
    const outcome = await judgeByPeer(peer, one, request)
    if (outcome === 'yes') {
      if ((await attempt(() => judgeByPeer(peer, one, tamper(request)))) === 'yes') tampered.push('by the peer')
      return judgedInOurs(peer, one, request)
    }
    return outcome
  })
  return { theySign: theirs, weSign: ours, tampered }
}

async function attempt(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    return `throws: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A request with all of its lines. */
interface Signed {
  method: string
  target: string
  headers: readonly Line[]
  body: string
  https: true
}

/** Another method, and another signature for the lists that do not cover it. */
function tamper(request: Signed): Signed {
  const headers = request.headers.map(([name, value]): Line => {
    const changed = value.replace(/(signature="|=:)(.)/, (_, start, first) => start + (first === 'A' ? 'B' : 'A'))
    return [name, name.toLowerCase() === 'signature' && !coversMethod(request) ? changed : value]
  })
  return { ...request, method: 'DELETE', headers }
}

const coversMethod = ({ headers }: Signed): boolean =>
  headers.some(([name, value]) => /^signature/i.test(name) && /\(request-target\)|"@method"/.test(value))

/** The lines of a request before it is signed. */
function unsignedLines({ headers }: Case, digest: readonly Line[]): Line[] {
  return [['Host', HOST], ['Date', new Date().toUTCString()], ['X-Service-ID', 'account-1234'], ...digest, ...headers]
}

function digestLine(body: string, scheme: Peer['scheme']): Line {
  const digest = createHash('sha256').update(body).digest('base64')
  return scheme === 'rfc9421' ? ['Content-Digest', `sha-256=:${digest}:`] : ['Digest', `SHA-256=${digest}`]
}

function lettersOf({ letters }: Case, lines: readonly Line[]): Line[] {
  if (letters === undefined) return [...lines]
  return lines.map(([name, value]) => [letters === 'upper' ? name.toUpperCase() : name.toLowerCase(), value])
}

async function digestFor(peer: Peer, body: string): Promise<Line[]> {
  if (peer.digest === undefined) return [digestLine(body, peer.scheme)]
  return peer.digest === 'while it signs' ? [] : [await peer.digest(body)]
}

async function signedByPeer(peer: Peer, one: Case): Promise<Signed & { given: readonly Line[] }> {
  const { method, target, body } = one
  const given = lettersOf(one, unsignedLines(one, await digestFor(peer, body)))
  const headers = [...given, ...lettersOf(one, await peer.sign(one, given))]
  return { method, target, headers, body, https: true, given }
}

/** A list that covers too little for our verifier is judged by the pure steps. */
async function judge(peer: Peer, one: Case, request: Signed): Promise<string> {
  const isPartial = one.covered === undefined || one.covered.length === 0
  if (peer.keyId !== undefined || isPartial) return verifyBySteps(peer, request)
  const verdict = await verify(request)
  return verdict.status === 'verified' ? 'yes' : verdict.failures.map(({ code }) => code).join(', ')
}

/** Was the case a part of what we verified. */
function judgedInTheirs(peer: Peer, one: Case, { headers, given }: Signed & { given: readonly Line[] }): string {
  const written = writtenIn(headers, peer.scheme)
  const asked = one.covered?.map(name => (peer.scheme === 'rfc9421' ? identifierOf(name) : name))
  if (peer.scheme === 'draft-cavage' && written.algorithm !== one.algorithm) return 'own algorithm'
  if (one.isList === true ? written.list !== asked?.join(' ') : !coversAll(one, peer, written.names)) return 'own list'
  if (one.own === 'digest') return peer.digest === undefined ? 'body not judged' : 'yes'
  return one.own !== undefined && preparationsOf(given).has(one.own) ? `${one.own} by the test` : 'yes'
}

const coversAll = ({ needs }: Case, { scheme }: Peer, names: readonly string[]): boolean =>
  needs.every(name => names.includes(scheme === 'rfc9421' ? identifierOf(name) : name.toLowerCase()))

/** Was the case a part of what the peer verified. */
async function judgedInOurs(peer: Peer, one: Case, request: Signed): Promise<string> {
  if (one.own === 'digest') {
    const otherBody = { ...request, body: one.body.replace(/^./, 'y') }
    return (await judgeByPeer(peer, one, otherBody)) === 'yes' ? 'body not judged' : 'yes'
  }
  return one.own !== undefined && preparationsOf(request.headers).has(one.own) ? `${one.own} by the test` : 'yes'
}

async function judgeByPeer(peer: Peer, one: Case, request: Signed): Promise<string> {
  const { method, target, body, headers } = request
  return (await peer.verify({ ...one, method, target, body }, headers)) ? 'yes' : 'no'
}

/** With the peers' key: by the test kit as the test service signs, or by the pure steps and node:crypto. */
function signedByUs(peer: Peer, one: Case): Signed {
  const { method, target, body } = one
  if (one.isKit === true) {
    const signed = signRequest(
      { method, target, body, headers: [], scheme: peer.scheme },
      createSigningKey(peer.keyId ?? KEY_ID, 2048, PRIVATE_PEM),
      { host: HOST, account: ['X-Service-ID', 'account-1234'] }
    )
    return { method, target, body, headers: signed.headers, https: true }
  }
  const lines = lettersOf(one, unsignedLines(one, [digestLine(body, peer.scheme)]))
  const signature = peer.scheme === 'rfc9421' ? signRfc9421(peer, one, lines) : signDraft(peer, one, lines)
  return { method, target, body, headers: [...lines, ...lettersOf(one, signature)], https: true }
}

function signDraft(peer: Peer, one: Case, headers: readonly Line[]): Line[] {
  const { covered = ['(created)'], algorithm } = one
  const created = Math.floor(Date.now() / 1000)
  const expires = created + 60
  const text = buildSigningString({ ...one, headers }, covered, { created, expires })
  if (!text.ok) throw new Error(text.message)
  const key =
    algorithm === 'hs2019'
      ? { key: PRIVATE_PEM, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
      : PRIVATE_PEM
  const hash = algorithm === 'hs2019' ? 'sha512' : 'sha256'
  const signature = sign(hash, Buffer.from(text.value, 'latin1'), key).toString('base64')
  const parameters = [
    `keyId="${peer.keyId ?? KEY_ID}"`,
    `algorithm="${algorithm}"`,
    ...(covered.includes('(created)') ? [`created=${created}`] : []),
    ...(covered.includes('(expires)') ? [`expires=${expires}`] : []),
    ...(one.covered === undefined ? [] : [`headers="${covered.join(' ')}"`]),
    `signature="${signature}"`
  ]
  return [['Signature', parameters.join(',')]]
}

/** `x-dict;key="a"` -> `"x-dict";key="a"` */
const identifierOf = (covered: string): string => covered.replace(/^[^;]*/, '"$&"')

function signRfc9421(peer: Peer, one: Case, headers: readonly Line[]): Line[] {
  const created = Math.floor(Date.now() / 1000)
  const list = (one.covered ?? []).map(identifierOf).join(' ')
  const profile = peer.profile?.(created) ?? ''
  const input = `sig1=(${list});created=${created};keyid="${peer.keyId ?? KEY_ID}";alg="rsa-v1_5-sha256"${profile}`
  const parsed = parseSignatureInput(input)
  const base = parsed.ok ? buildSignatureBase({ ...one, headers, https: true }, parsed.value[0]!) : parsed
  if (!base.ok) throw new Error(base.message)
  const signature = sign('sha256', Buffer.from(base.value, 'latin1'), PRIVATE_PEM).toString('base64')
  return [
    ['Signature-Input', input],
    ['Signature', `sig1=:${signature}:`]
  ]
}

const publicKey = (() => {
  const record = parseKeyRecord(ONE.record)
  const key = record.ok ? importPublicKey(record.value) : record
  if (!key.ok) throw new Error(key.message)
  return key.value
})()

const lineValue = (headers: readonly Line[], name: string): string =>
  headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? ''

/** What a verified signature says of itself. */
interface Written {
  algorithm: string
  /** as it is written; undefined when it is absent */
  list: string | undefined
  names: readonly string[]
}

function writtenIn(headers: readonly Line[], scheme: Peer['scheme']): Written {
  if (scheme === 'draft-cavage') {
    const value = lineValue(headers, 'signature')
    const parsed = parseSignatureHeader(value)
    if (!parsed.ok) throw new Error(parsed.message)
    const { algorithm = 'rsa-sha256', headers: names } = parsed.value
    return { algorithm, list: /headers="([^"]*)"/.exec(value)?.[1], names }
  }
  const inputs = parseSignatureInput(lineValue(headers, 'signature-input'))
  if (!inputs.ok) throw new Error(inputs.message)
  const [input] = inputs.value
  const names = input!.components.map(({ identifier }) => identifier)
  return { algorithm: input!.algorithm ?? '', list: names.join(' '), names }
}

/** Signing string and signature alone. */
function verifyBySteps(peer: Peer, request: ReceivedRequest & Signed): string {
  const value = (name: string) => lineValue(request.headers, name)
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
