import { createHash } from 'node:crypto'
import { draftCavage } from '../../src/core/standards/draft-cavage/scheme.ts'
import {
  buildSigningString,
  createVerifier,
  importPublicKey,
  parseKeyRecord,
  parseSignatureHeader,
  verifySignature
} from '../../src/index.ts'
import { buildSignatureBase, parseSignatureInput, parseSignatures, rfc9421 } from '../../src/rfc9421/index.ts'
import { createSigningKey, signRequest } from '../../src/testing/sign.ts'
import { type Case, HOST, type Line } from './cases.ts'
import { KEY_ID, keyFor, type Peer, PRIVATE_PEM, preparationsOf } from './peers/peer.ts'

/**
 * Holds the outcome of a case between a peer and the library: `yes`; or one of `NOT_JUDGED` when it was verified
 * without being judged; or the refusal in the words of the refusing side.
 */
export interface Outcomes {
  /** the peer signs, we verify */
  theySign: string
  /** we sign, the peer verifies */
  weSign: string
  /** the tampered requests that were verified */
  tampered: readonly string[]
}

/** The signature was verified, but the case was not a part of it. */
export const NOT_JUDGED: Readonly<Record<string, string>> = {
  'own list': 'it signs a list of its own choice, without what the case is about',
  'own algorithm': 'it signs with an algorithm of its own choice',
  'joined by the test': 'it takes one value for a name, so the test joined the lines for it',
  'trimmed by the test': 'it takes values as node:http has trimmed them, which the test did for it',
  'lower-cased by the test': 'it takes names as node:http has lower-cased them, which the test did for it',
  'body not judged': 'it neither makes the digest nor compares it with the body'
}

const KEYS = [keyFor('rsa-sha256'), keyFor('ed25519')]
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: HOST,
  accounts: '1234',
  schemes: [draftCavage, rfc9421],
  algorithms: ['rsa-sha256', 'hs2019', 'rsa-v1_5-sha256', 'rsa-pss-sha512', 'ed25519'],
  lookupTxt: async name => KEYS.filter(({ id }) => id === name).map(({ record }) => [record])
})

export async function outcomes(peer: Peer, one: Case): Promise<Outcomes> {
  const tampered: string[] = []
  const theySign = await attempt(async () => {
    const request = await signedByPeer(peer, one)
    const outcome = await judge(peer, one, request)
    if (outcome !== 'yes') return outcome
    if ((await attempt(() => judge(peer, one, tamper(request)))) === 'yes') tampered.push('by us')
    return judgedInTheirs(peer, one, request)
  })
  const weSign = await attempt(async () => {
    const request = signedByUs(peer, one)
    const outcome = await judgeByPeer(peer, one, request)
    if (outcome !== 'yes') return outcome
    if ((await attempt(() => judgeByPeer(peer, one, tamper(request)))) === 'yes') tampered.push('by the peer')
    return judgedInOurs(peer, one, request)
  })
  return { theySign, weSign, tampered }
}

/** The library's own refusal. */
class Refused extends Error {}

function need<T>(result: { ok: true; value: T } | { ok: false; code: string }): T {
  if (!result.ok) throw new Refused(result.code)
  return result.value
}

async function attempt(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refused) return error.message
    return `throws: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Holds a request with all of its lines. */
interface Signed {
  method: string
  target: string
  headers: readonly Line[]
  body: string
  https: true
}

/** Changes the method, and the signature where the list does not cover the method. */
function tamper(request: Signed): Signed {
  const headers = request.headers.map(([name, value]): Line => {
    const changed = value.replace(/(signature="|=:)(.)/, (_, start, first) => start + (first === 'A' ? 'B' : 'A'))
    return [name, name.toLowerCase() === 'signature' && !coversMethod(request) ? changed : value]
  })
  return { ...request, method: 'DELETE', headers }
}

const coversMethod = ({ headers }: Signed): boolean =>
  headers.some(([name, value]) => /^signature/i.test(name) && /\(request-target\)|"@method"/.test(value))

/** Returns the lines of a request before it is signed. */
const unsignedLines = (one: Case, digest: readonly Line[]): Line[] =>
  lettersOf(one, [
    ['Host', HOST],
    ['Date', new Date().toUTCString()],
    ['X-Service-ID', 'account-1234'],
    ...digest,
    ...one.headers
  ])

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
  const given = unsignedLines(one, await digestFor(peer, body))
  const headers = [...given, ...lettersOf(one, await peer.sign(one, given))]
  return { method, target, headers, body, https: true, given }
}

/** Judges a list with the pure steps when it covers too little for our verifier. */
async function judge(peer: Peer, one: Case, request: Signed): Promise<string> {
  const isPartial = one.covered === undefined || one.covered.length === 0
  if (peer.keyId !== undefined || isPartial) return verifyBySteps(peer, request)
  const verdict = await verify(request)
  return verdict.status === 'verified' ? 'yes' : verdict.failures.map(({ code }) => code).join(', ')
}

/** Returns whether the case was a part of what we verified. */
function judgedInTheirs(peer: Peer, one: Case, request: Signed & { given: readonly Line[] }): string {
  const { algorithm, list, names } = read(peer, request)
  const identifiers = (asked: readonly string[]) => (peer.scheme === 'rfc9421' ? asked.map(identifierOf) : asked)
  const isCovered = identifiers(one.needs).every(name => names.includes(name) || names.includes(name.toLowerCase()))
  if (algorithm !== one.algorithm) return 'own algorithm'
  if (one.isList ? list !== (one.covered && identifiers(one.covered).join(' ')) : !isCovered) return 'own list'
  if (one.own === 'digest') return peer.digest === undefined ? 'body not judged' : 'yes'
  return preparedFor(one, request.given)
}

const preparedFor = ({ own }: Case, lines: readonly Line[]): string =>
  own !== undefined && own !== 'digest' && preparationsOf(lines).has(own) ? `${own} by the test` : 'yes'

/** Returns whether the case was a part of what the peer verified. */
async function judgedInOurs(peer: Peer, one: Case, request: Signed): Promise<string> {
  if (one.own !== 'digest') return preparedFor(one, request.headers)
  const otherBody = { ...request, body: one.body.replace(/^./, 'y') }
  return (await judgeByPeer(peer, one, otherBody)) === 'yes' ? 'body not judged' : 'yes'
}

async function judgeByPeer(peer: Peer, one: Case, { method, target, body, headers }: Signed): Promise<string> {
  return (await peer.verify({ ...one, method, target, body }, headers)) ? 'yes' : 'no'
}

/** Signs with the peers' key: by the test kit as the test service signs, or by the pure steps and node:crypto. */
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
  const lines = unsignedLines(one, [digestLine(body, peer.scheme)])
  const signature = peer.scheme === 'rfc9421' ? signRfc9421(peer, one, lines) : signDraft(peer, one, lines)
  return { method, target, body, headers: [...lines, ...lettersOf(one, signature)], https: true }
}

function signDraft(peer: Peer, one: Case, headers: readonly Line[]): Line[] {
  const { covered = ['(created)'], algorithm } = one
  const created = Math.floor(Date.now() / 1000)
  const expires = created + 60
  const text = need(buildSigningString({ ...one, headers }, covered, { created, expires }))
  const parameters = [
    `keyId="${peer.keyId ?? KEY_ID}"`,
    `algorithm="${algorithm}"`,
    ...(covered.includes('(created)') ? [`created=${created}`] : []),
    ...(covered.includes('(expires)') ? [`expires=${expires}`] : []),
    ...(one.covered === undefined ? [] : [`headers="${covered.join(' ')}"`]),
    `signature="${keyFor(algorithm).sign(text).toString('base64')}"`
  ]
  return [['Signature', parameters.join(',')]]
}

/** `x-dict;key="a"` -> `"x-dict";key="a"` */
const identifierOf = (covered: string): string => covered.replace(/^[^;]*/, '"$&"')

function signRfc9421(peer: Peer, { algorithm, covered = [], ...one }: Case, headers: readonly Line[]): Line[] {
  const created = Math.floor(Date.now() / 1000)
  const key = keyFor(algorithm)
  const params = `created=${created};keyid="${peer.keyId ?? key.id}";alg="${algorithm}"${peer.profile?.(created) ?? ''}`
  const input = `sig1=(${covered.map(identifierOf).join(' ')});${params}`
  const [parsed] = need(parseSignatureInput(input))
  const base = need(buildSignatureBase({ ...one, headers, https: true }, parsed!))
  return [
    ['Signature-Input', input],
    ['Signature', `sig1=:${key.sign(base).toString('base64')}:`]
  ]
}

/** The parameters of a signature, and the text that it signs. */
interface Read {
  algorithm: string
  /** as it is written; undefined when it is absent */
  list: string | undefined
  names: readonly string[]
  signature: Uint8Array
  text: string
}

/** Parses the signature with the pure steps alone. */
function read({ scheme }: Peer, request: Signed): Read {
  const value = (name: string) => request.headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? ''
  if (scheme === 'draft-cavage') {
    const parsed = need(parseSignatureHeader(value('signature')))
    const { headers: names, signature, algorithm = 'rsa-sha256' } = parsed
    const list = /headers="([^"]*)"/.exec(value('signature'))?.[1]
    return { algorithm, list, names, signature, text: need(buildSigningString(request, names, parsed)) }
  }
  const [input] = need(parseSignatureInput(value('signature-input')))
  const { label, components, algorithm = 'rsa-v1_5-sha256' } = input!
  const signature = need(parseSignatures(value('signature'))).get(label)
  if (signature === undefined) throw new Refused('signature-parameter-missing')
  const names = components.map(({ identifier }) => identifier)
  return { algorithm, list: names.join(' '), names, signature, text: need(buildSignatureBase(request, input!)) }
}

const publicKey = need(importPublicKey(need(parseKeyRecord(keyFor('rsa-sha256').record))))

/** Verifies signing string and signature alone. */
function verifyBySteps(peer: Peer, request: Signed): string {
  const { algorithm, signature, text } = read(peer, request)
  return verifySignature(text, signature, publicKey, algorithm) ? 'yes' : 'signature-mismatch'
}
