// wrangler.toml: [[durable_objects.bindings]] name = "REPLAY", class_name = "ReplayId"
import type { ReplayStore } from 'signed-requests/replay'

interface Entry {
  token: string
  released: boolean
  expiresAt: number
}

/**
 * One object for each id. Its storage gate lets no other request in between a get and
 * the put that follows.
 */
export class ReplayId {
  readonly ctx: DurableObjectState
  constructor(ctx: DurableObjectState) {
    this.ctx = ctx
  }

  async fetch(request: Request): Promise<Response> {
    const { token, released, ttlSeconds } = (await request.json()) as Omit<
      Entry,
      'expiresAt'
    > & {
      ttlSeconds: number
    }
    const stored = await this.ctx.storage.get<Entry>('entry')
    const entry =
      stored !== undefined && stored.expiresAt > Date.now() ? stored : undefined
    if (entry !== undefined) {
      const isOurs = entry.token === token
      // The rows of the table that change nothing.
      if (!released && entry.released === isOurs) return Response.json(false)
      if (!entry.released && released !== isOurs) return Response.json(isOurs)
    }
    const expiresAt = Math.ceil(Date.now() + ttlSeconds * 1000)
    await this.ctx.storage.put<Entry>('entry', { token, released, expiresAt })
    await this.ctx.storage.setAlarm(expiresAt + 1000)
    return Response.json(true)
  }

  async alarm(): Promise<void> {
    const entry = await this.ctx.storage.get<Entry>('entry')
    if (entry !== undefined && entry.expiresAt > Date.now())
      await this.ctx.storage.setAlarm(entry.expiresAt + 1000)
    else await this.ctx.storage.deleteAll()
  }
}

export function durableReplayStore(namespace: DurableObjectNamespace): ReplayStore {
  const ask = async (id: string, call: object): Promise<boolean> => {
    const stub = namespace.get(namespace.idFromName(id))
    const response = await stub.fetch('https://replay/', {
      method: 'POST',
      body: JSON.stringify(call)
    })
    return (await response.json()) as boolean
  }
  return {
    claim: (id, token, ttlSeconds) => ask(id, { token, released: false, ttlSeconds }),
    release: async (id, token, ttlSeconds) =>
      void (await ask(id, { token, released: true, ttlSeconds }))
  }
}

/** Types the used part of @cloudflare/workers-types. */
interface DurableObjectState {
  storage: {
    get<T>(key: string): Promise<T | undefined>
    put<T>(key: string, value: T): Promise<void>
    setAlarm(time: number): Promise<void>
    deleteAll(): Promise<void>
  }
}
interface DurableObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): {
    fetch(url: string, init: { method: string; body: string }): Promise<Response>
  }
}
