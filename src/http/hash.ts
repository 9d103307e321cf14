import { createHash, hash } from 'node:crypto'

/** The base64 of a body's digest; `crypto.hash` does it in one call where the runtime has it. */
export const base64Digest: (algorithm: 'sha256' | 'sha512', data: Uint8Array) => string =
  typeof hash === 'function'
    ? (algorithm, data) => hash(algorithm, data, 'base64')
    : (algorithm, data) => createHash(algorithm).update(data).digest('base64')
