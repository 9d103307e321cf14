import { memoryReplayStore } from '../replay/memory.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { ReplaySetting } from './options.ts'

export interface ConnectedStore {
  readonly store: ReplayStore | undefined
  close(): Promise<void>
}

/** @throws Error, in one line without the URL, when the database is out of reach */
export async function connectReplayStore(setting: ReplaySetting): Promise<ConnectedStore> {
  const close = async () => {}
  if (setting.kind === 'none') return { store: undefined, close }
  if (setting.kind === 'memory') return { store: memoryReplayStore(), close }
  throw new Error('not yet')
}
