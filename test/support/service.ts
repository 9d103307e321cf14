import type { ReceivedRequest } from '../../src/index.ts'
import { createTestService, type TestService } from '../../src/testing/index.ts'

/**
 * Serves every test that neither rotates its key nor changes its records. Its key has 1024 bits, and is made once for
 * all files that share their modules.
 */
export const service: TestService = {
  ...createTestService({ rsaBits: 1024 }),
  rotateKey() {
    throw new Error('a test that rotates the key makes a service of its own')
  }
}
Object.freeze(service.records)

export const linesOf = ({ headers }: ReceivedRequest) => [...(headers as Iterable<readonly [string, string]>)]

/**
 * Replaces header lines of a request, changes them with a function, adds them at the end (a new name), or removes them.
 */
export function withHeaders<T extends ReceivedRequest>(
  request: T,
  changes: Readonly<Record<string, string | undefined | ((value: string) => string)>>
): T & { headers: (readonly [string, string])[] } {
  const names = Object.keys(changes).map(name => name.toLowerCase())
  const isChanged = ([name]: readonly [string, string]) => names.includes(name.toLowerCase())
  const lines = linesOf(request)
  const added = Object.entries(changes).flatMap(([name, to]): (readonly [string, string])[] => {
    const value = typeof to === 'function' ? to(new Map(lines).get(name)!) : to
    return value === undefined ? [] : [[name, value]]
  })
  return { ...request, headers: [...lines.filter(line => !isChanged(line)), ...added] }
}

/** Changes the Signature header of a request. */
export const withSignature = <T extends ReceivedRequest>(request: T, change: (value: string) => string) =>
  withHeaders(request, { Signature: change(linesOf(request).find(([name]) => name === 'Signature')![1]) })

/** The WWW-Authenticate of a refusal by a verifier with these options. */
export const CHALLENGE = 'Signature headers="(request-target) host date x-service-id digest"'
