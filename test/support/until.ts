import { vi } from 'vitest'

/** Waits as long as a test may take: slowness of a busy machine is not a failure. */
export const until = (isSo: () => unknown): Promise<unknown> => vi.waitUntil(isSo, { timeout: 55_000, interval: 5 })
