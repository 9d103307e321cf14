import { createPublicKey, type KeyObject } from 'node:crypto'
import type { ReceivedRequest, VerifierOptions } from '../src/index.ts'
import { main, testing } from './dist.ts'

/** Describes a request as it was signed. */
export interface Signed {
  request: ReceivedRequest & { headers: readonly (readonly [string, string])[]; body: Uint8Array }
  /** the signed text, and the signature over it */
  signingString: Buffer
  signature: Buffer
}

/** Holds the sample request of the service's specification, signed, in each form that a contender may need. */
export interface Sample extends Signed {
  key: KeyObject
  keyId: string
  /** for `createVerifier`; `lookupTxt` answers from memory */
  options: VerifierOptions
  /**
   * The same request with other nonces, and so other signatures, each in strings of its own. They are verified in turn:
   * one repeated request would stay in every processor cache and in every memory of the library.
   */
  inTurn: readonly Signed[]
}

export function createSample({ bodyBytes, rsaBits = 2048, inTurn = 1 }: SampleOptions): Sample {
  const service = testing.createTestService({ rsaBits })
  const body = Buffer.alloc(bodyBytes, '{"event":"opened","id":7}')
  const sign = (): Signed => {
    const { headers, ...rest } = service.sign({ target: '/hook?id=7', body })
    return signedParts({ ...rest, headers: asReceived(headers as Lines), body })
  }
  const signed = Array.from({ length: inTurn }, sign)
  const [name, records] = Object.entries(service.records)[0]!
  return {
    ...signed[0]!,
    key: publicKey(records![0]!.join('')),
    keyId: name,
    options: service.options,
    inTurn: signed
  }
}

function signedParts(request: Signed['request']): Signed {
  const header = request.headers.find(([each]) => each === 'Signature')![1]
  const parameters = main.parseSignatureHeader(header)
  if (!parameters.ok) throw new Error(parameters.message)
  const signingString = main.buildSigningString(request, parameters.value.headers)
  if (!signingString.ok) throw new Error(signingString.message)
  return {
    request,
    signingString: Buffer.from(signingString.value, 'latin1'),
    signature: Buffer.from(parameters.value.signature)
  }
}

export interface SampleOptions {
  bodyBytes: number
  rsaBits?: number
  inTurn?: number
}

type Lines = readonly (readonly [string, string])[]

/** Makes strings as a parser cuts them from a socket: flat, and not shared. */
export const asReceived = (lines: Lines): Lines => lines.map(([name, value]) => [flat(name), flat(value)] as const)

export const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

const publicKey = (record: string): KeyObject =>
  createPublicKey({ key: Buffer.from(record.split('p=')[1]!, 'base64'), format: 'der', type: 'spki' })

/** Returns headers as a record with lower-case names, as `node:http` gives them. */
export const lowerCaseRecord = (lines: Lines): Record<string, string> =>
  Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]))
