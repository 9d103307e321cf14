import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ONE } from '../../vectors/build/keys.ts'
import type { Case, Line } from '../cases.ts'

/** Another implementation. */
export interface Peer {
  name: string
  version: string
  scheme: 'draft-cavage' | 'rfc9421'
  /** what had to be done for it besides calling it */
  note?: string
  /** where it cannot name a key by its DNS name; our pure steps verify then, the verifier would refuse the name */
  keyId?: string
  /** the header lines of the signature over these lines of the case */
  sign(one: Case, lines: readonly Line[]): Promise<Line[]> | Line[]
  /** does it verify the request with these lines; why not, when it says why */
  verify(one: Case, lines: readonly Line[]): Promise<boolean> | boolean
}

export const KEY_ID = 'one._domainkey.service.example'
export const PRIVATE_PEM = ONE.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
export const PUBLIC_PEM = ONE.publicKey.export({ type: 'spki', format: 'pem' }) as string
export const PUBLIC_KEY = createPublicKey(PUBLIC_PEM)

export function versionOf(name: string): string {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** From this folder's own node_modules, and without types: half of them have none. */
// biome-ignore lint/suspicious/noExplicitAny: packages without types
export const load = (name: string): Promise<any> => import(/* @vite-ignore */ name)

/** As node:http makes `headers`: names in lower case, repeated lines joined, outer white space gone. */
export function nodeHeaders(lines: readonly Line[]): Record<string, string> {
  const record: Record<string, string> = Object.create(null)
  for (const [name, value] of lines) {
    const key = name.toLowerCase()
    const trimmed = value.replace(/^[ \t]+|[ \t]+$/g, '')
    record[key] = record[key] === undefined ? trimmed : `${record[key]}, ${trimmed}`
  }
  // Some ask hasOwnProperty of it.
  return Object.assign({}, record)
}
