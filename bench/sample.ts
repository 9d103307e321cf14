import { createPublicKey, type KeyObject } from 'node:crypto'
import type { ReceivedRequest, VerifierOptions } from '../src/index.ts'
import { main, testing } from './dist.ts'

/** A request as it was signed. */
export interface Signed {
  request: ReceivedRequest & { headers: readonly (readonly [string, string])[]; body: Uint8Array }
  /** what is signed, and the signature over it */
  signingString: Buffer
  signature: Buffer
}

/** The sample request of the service's specification, signed, with everything that anyone may want to have ready. */
export interface Sample extends Signed {
  key: KeyObject
  keyId: string
  /** for `createVerifier`; `lookupTxt` answers from memory */
  options: VerifierOptions
  /**
   * The same request with another nonce, and so another signature, each in strings of its own. They are verified in
   * turn: one request, repeated, would be in every cache of the processor, and each memory would be of use.
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

/** Strings as a parser cuts them from a socket: flat, and shared with nothing. */
export const asReceived = (lines: Lines): Lines => lines.map(([name, value]) => [flat(name), flat(value)] as const)

export const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

const publicKey = (record: string): KeyObject =>
  createPublicKey({ key: Buffer.from(record.split('p=')[1]!, 'base64'), format: 'der', type: 'spki' })

/** Headers as a record in lower case, as `node:http` gives them. */
export const lowerCaseRecord = (lines: Lines): Record<string, string> =>
  Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]))
