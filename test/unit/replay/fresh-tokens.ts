import type { ReplayStore } from '../../../src/replay/index.ts'

/**
 * Wraps a store as the verifier uses it: each claim has a token of its own, and a release is that of the last granted
 * one.
 */
export function withFreshTokens({ claim, release }: ReplayStore) {
  const tokens = new Map<string, string>()
  return {
    async claim(id: string, ttlSeconds: number): Promise<boolean> {
      const token = `${Math.random()}`
      const isHeld = await claim(id, token, ttlSeconds)
      if (isHeld) tokens.set(id, token)
      return isHeld
    },
    release: (id: string) => release(id, tokens.get(id) ?? 'of another', 60)
  }
}
