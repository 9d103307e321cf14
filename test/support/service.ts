import type { ReceivedRequest } from '../../src/index.ts'
import { createTestService, type TestService } from '../../src/testing/index.ts'

/**
 * A service for every test that neither rotates its key nor changes its records. Its key has 1024 bits, and is made
 * once for all files that share their modules.
 */
export const service: TestService = {
  ...createTestService({ rsaBits: 1024 }),
  rotateKey() {
    throw new Error('a test that rotates the key makes a service of its own')
  }
}
Object.freeze(service.records)

export const linesOf = ({ headers }: ReceivedRequest) => [...(headers as Iterable<readonly [string, string]>)]

/** The request with header lines replaced, added at the end (the name is new) or removed (undefined). */
export function withHeaders<T extends ReceivedRequest>(
  request: T,
  changes: Readonly<Record<string, string | undefined>>
): T & { headers: (readonly [string, string])[] } {
  const names = Object.keys(changes).map(name => name.toLowerCase())
  const kept = linesOf(request).filter(([name]) => !names.includes(name.toLowerCase()))
  const added = Object.entries(changes).filter((line): line is [string, string] => line[1] !== undefined)
  return { ...request, headers: [...kept, ...added] }
}
