import type { ReplayStore } from '../../src/replay/index.ts'

/** What a function of the receiver does that fails with this code. */
export const failing = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error('failed'), { code }))

/** The option for a replay store that says this to every claim. */
export const claiming = (claim: ReplayStore['claim']): { replayStore: ReplayStore } => ({
  replayStore: { claim, release: async () => {} }
})
