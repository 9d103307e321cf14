import { constants, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ED25519, ONE } from '../../../fixtures/source/keys.ts'
import { type Algorithm, type Case, HOST, type Line, type Preparation } from '../cases.ts'

/** Adapts another implementation. */
export interface Peer {
  name: string
  version: string
  scheme: 'draft-cavage' | 'rfc9421'
  /** the work that its adapter does besides calling it */
  note?: string
  /**
   * the case where it cannot name a key by its DNS name; our pure steps then verify, because the verifier would refuse
   * the name
   */
  keyId?: string
  /** parameters that its verifier demands of a signature by RFC 9421, besides created, keyid and alg */
  profile?: (created: number) => string
  /** makes the digest line of a body and judges it: with this function, or while it signs */
  digest?: ((body: string) => Promise<Line>) | 'while it signs'
  /** the header lines of the signature over these lines of the case */
  sign(one: Case, lines: readonly Line[]): Promise<Line[]> | Line[]
  /** verifies the request with these lines; returns why not, when the package says why */
  verify(one: Case, lines: readonly Line[]): Promise<boolean> | boolean
}

/** Loads a package of npm. */
export function npmPeer(name: string, scheme: Peer['scheme'], own: Omit<Peer, 'name' | 'version' | 'scheme'>): Peer {
  return { name, version: versionOf(name), scheme, ...own }
}

export function versionOf(name: string): string {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** The package is in this folder's own node_modules, and has no types here: half of them have none. */
// biome-ignore lint/suspicious/noExplicitAny: packages without types
export const load = (name: string): Promise<any> => import(/* @vite-ignore */ name)

/**
 * Returns the key for an algorithm, and how node:crypto signs and verifies with it. Text is octets, one per character.
 */
export function keyFor(algorithm: Algorithm) {
  const isEd25519 = algorithm === 'ed25519'
  const { privateKey, publicKey, record } = isEd25519 ? ED25519 : ONE
  const isPss = algorithm === 'hs2019' || algorithm === 'rsa-pss-sha512'
  const hash = isEd25519 ? null : isPss ? 'sha512' : 'sha256'
  const padding = isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } : {}
  const octets = (data: string | Uint8Array) => (typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
  return {
    id: isEd25519 ? 'edwards.service.example' : 'one._domainkey.service.example',
    record,
    privateKey,
    publicKey,
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    sign: (data: string | Uint8Array) => sign(hash, octets(data), { key: privateKey, ...padding }),
    verify: (data: string | Uint8Array, signature: Uint8Array) =>
      verify(hash, octets(data), { key: publicKey, ...padding }, signature)
  }
}

/** This is the key of the draft's cases. */
export const { id: KEY_ID, privatePem: PRIVATE_PEM, publicPem: PUBLIC_PEM } = keyFor('rsa-sha256')

export const urlOf = (target: string): string => `https://${HOST}${target}`

const preparations = new WeakMap<readonly Line[], Set<Preparation>>()

/** Returns the changes that were made to these lines for a peer. */
export const preparationsOf = (lines: readonly Line[]): ReadonlySet<Preparation> => preparations.get(lines) ?? new Set()

function note(lines: readonly Line[], preparation: Preparation): void {
  const noted = preparations.get(lines) ?? new Set()
  preparations.set(lines, noted.add(preparation))
}

function trimmed(lines: readonly Line[], value: string): string {
  const result = value.replace(/^[ \t]+|[ \t]+$/g, '')
  if (result !== value) note(lines, 'trimmed')
  return result
}

/** Makes `headers` as node:http does: lower-case names, repeated lines joined, outer white space removed. */
export function nodeHeaders(lines: readonly Line[]): Record<string, string> {
  const lower = lines.map(([name, value]): Line => {
    if (name !== name.toLowerCase()) note(lines, 'lower-cased')
    return [name.toLowerCase(), trimmed(lines, value)]
  })
  return joinedRecord(lower, () => note(lines, 'joined'))
}

/** Makes `rawHeaders` as node:http does: names and values in turn, as they were sent, without outer white space. */
export const nodeRawHeaders = (lines: readonly Line[]): string[] =>
  lines.flatMap(([name, value]) => [name, trimmed(lines, value)])

/** Returns one value for a name, for a peer that does the rest itself. */
export const singleValues = (lines: readonly Line[]): Record<string, string> =>
  joinedRecord(lines, () => note(lines, 'joined'))

function joinedRecord(lines: readonly Line[], onJoin: () => void): Record<string, string> {
  const entries = Object.entries(valueLists(lines)).map(([name, value]) => {
    if (typeof value === 'string') return [name, value]
    onJoin()
    return [name, value.join(', ')]
  })
  return Object.fromEntries(entries)
}

/** Returns lines unchanged; an array where a name is repeated. */
export function valueLists(lines: readonly Line[]): Record<string, string | string[]> {
  const lists = new Map<string, string[]>()
  for (const [name, value] of lines) lists.set(name, [...(lists.get(name) ?? []), value])
  return Object.fromEntries([...lists].map(([name, list]) => [name, list.length === 1 ? list[0]! : list]))
}

/** `x-dict;key="a"` -> its name and its parameters (RFC 9421 section 2.1) */
export function componentOf(covered: string): { name: string; parameters: Map<string, string | boolean> } {
  const [name = '', ...rest] = covered.split(';')
  const parameters = rest.map((parameter): [string, string | boolean] => {
    const [key = '', value] = parameter.split('=')
    return [key, value === undefined ? true : value.slice(1, -1)]
  })
  return { name, parameters: new Map(parameters) }
}
