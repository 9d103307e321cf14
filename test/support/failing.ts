import type { ReplayStore } from '../../src/replay/index.ts'

/** Makes a function of the receiver that fails with this code. */
export const failing = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error('failed'), { code }))

/** Makes the option for a replay store that answers every claim in this way. */
export const claiming = (claim: ReplayStore['claim']): { replayStore: ReplayStore } => ({
  replayStore: { claim, release: async () => {} }
})
