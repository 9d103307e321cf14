import { constants, createHash, sign } from 'node:crypto'
import { ED25519, ONE } from '../../fixtures/source/keys.ts'
import { type Parts, signLines, type Written } from '../../fixtures/source/sign-rfc9421.ts'
import type { ReceivedRequest, VerifierOptions } from '../../src/index.ts'
import { rfc9421 } from '../../src/rfc9421/index.ts'

export type Line = readonly [name: string, value: string]

export type Algorithm = 'rsa-v1_5-sha256' | 'rsa-pss-sha512' | 'ed25519'

export const KEY_ID = { rsa: 'rsa._domainkey.service.example', ed25519: 'ed._domainkey.service.example' }
export const HOST = 'receiver.example'
export const BODY = '{"event":"opened","id":7}'
export const NOW = Date.parse('2026-11-20T12:00:00Z')
export const SECONDS = NOW / 1000

export const PRIVATE_KEYS = { rsa: ONE.privateKey, ed25519: ED25519.privateKey }

const chunks = (record: string): string[] => record.match(/.{1,255}/g)!

export const RECORDS: Record<string, string[][]> = {
  [KEY_ID.rsa]: [chunks(ONE.record)],
  [KEY_ID.ed25519]: [chunks(ED25519.record)]
}

export const OPTIONS = {
  serviceDomain: 'service.example',
  hosts: HOST,
  accounts: '1234',
  schemes: [rfc9421],
  dateTolerance: 300,
  now: () => NOW,
  lookupTxt: async (name: string) => {
    const found = RECORDS[name]
    if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return found
  }
} satisfies VerifierOptions

export function signText(text: string, algorithm: Algorithm, saltLength = 64): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  if (algorithm === 'ed25519') return sign(null, bytes, PRIVATE_KEYS.ed25519)
  if (algorithm === 'rsa-v1_5-sha256') return sign('sha256', bytes, PRIVATE_KEYS.rsa)
  return sign('sha512', bytes, { key: PRIVATE_KEYS.rsa, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
}

export const contentDigest = (body: string, hash: 'sha256' | 'sha512' = 'sha256'): string =>
  `${hash.replace('sha', 'sha-')}=:${createHash(hash).update(body).digest('base64')}:`

/**
 * The service signs these by default: identifiers as they stand in the base, and the values of a POST to /hook?id=42.
 */
export const LINES = {
  '"@method"': 'POST',
  '"@request-target"': '/hook?id=42',
  '"@authority"': HOST,
  '"x-service-id"': 'account-1234',
  '"content-digest"': contentDigest(BODY),
  '"date"': 'Fri, 20 Nov 2026 12:00:00 GMT'
}

export interface Recipe {
  /** lines of the base by identifier: added, changed, or left out when undefined */
  lines?: Parts
  /** signature parameters by name as they are written; left out when undefined */
  params?: Parts
  algorithm?: Algorithm
  label?: string
  /** headers of the request: added, changed, or left out when undefined */
  headers?: Parts
  saltLength?: number
}

const HEADERS = {
  Host: HOST,
  Date: LINES['"date"'],
  'X-Service-ID': 'account-1234',
  'Content-Digest': contentDigest(BODY)
}

const present = (all: Parts): [string, string][] =>
  Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)

/** Returns the two headers of one signature. */
export function signature(recipe: Recipe = {}): Written {
  const { algorithm = 'rsa-v1_5-sha256', label = 'sig1' } = recipe
  const keyId = algorithm === 'ed25519' ? KEY_ID.ed25519 : KEY_ID.rsa
  const params = { created: String(SECONDS), keyid: `"${keyId}"`, alg: `"${algorithm}"`, ...recipe.params }
  return signLines(label, { ...LINES, ...recipe.lines }, params, base => signText(base, algorithm, recipe.saltLength))
}

/** Signs a POST to /hook?id=42. */
export function signed(recipe: Recipe = {}): ReceivedRequest & { headers: Line[] } {
  const own = signature(recipe)
  return {
    method: 'POST',
    target: '/hook?id=42',
    headers: present({ ...HEADERS, 'Signature-Input': own.input, Signature: own.signature, ...recipe.headers }),
    body: BODY,
    https: true
  }
}
