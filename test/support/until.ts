import { vi } from 'vitest'

/** Waits for it as long as a test may take: a busy machine is slow, and no fault. */
export const until = (isSo: () => unknown): Promise<unknown> => vi.waitUntil(isSo, { timeout: 55_000 })
