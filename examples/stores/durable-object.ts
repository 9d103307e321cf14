// wrangler.toml: [[durable_objects.bindings]] name = "REPLAY", class_name = "ReplayId"
import type { ReplayStore } from 'signed-requests/replay'

interface Held {
  owner: string
  expiresAt: number
}

/** One object for each id. Its storage gate lets no other request in between a get and the put that follows. */
export class ReplayId {
  readonly ctx: DurableObjectState
  constructor(ctx: DurableObjectState) {
    this.ctx = ctx
  }

  async fetch(request: Request): Promise<Response> {
    const { owner, ttlSeconds } = (await request.json()) as { owner: string; ttlSeconds?: number }
    const held = await this.ctx.storage.get<Held>('held')

    if (ttlSeconds === undefined) {
      if (held?.owner === owner) await this.ctx.storage.deleteAll()
      return Response.json(true)
    }
    if (held !== undefined && held.expiresAt > Date.now()) return Response.json(false)
    const expiresAt = Math.ceil(Date.now() + ttlSeconds * 1000)
    await this.ctx.storage.put<Held>('held', { owner, expiresAt })
    await this.ctx.storage.setAlarm(expiresAt + 1000)
    return Response.json(true)
  }

  async alarm(): Promise<void> {
    const held = await this.ctx.storage.get<Held>('held')
    if (held !== undefined && held.expiresAt > Date.now())
      await this.ctx.storage.setAlarm(held.expiresAt + 1000)
    else await this.ctx.storage.deleteAll()
  }
}

/** Make it inside of a request: a Worker draws no random numbers while it is loaded. */
export function durableReplayStore(namespace: DurableObjectNamespace): ReplayStore {
  const owner = crypto.randomUUID() // a release deletes only what this store has claimed

  const ask = async (id: string, question: object): Promise<boolean> => {
    const body = JSON.stringify({ owner, ...question })
    const stub = namespace.get(namespace.idFromName(id))
    const response = await stub.fetch('https://replay/', { method: 'POST', body })
    return (await response.json()) as boolean
  }
  return {
    claim: (id, ttlSeconds) => ask(id, { ttlSeconds }),
    release: async id => void (await ask(id, {}))
  }
}

/** What is used of the types of @cloudflare/workers-types. */
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
  get(id: unknown): { fetch(url: string, init: { method: string; body: string }): Promise<Response> }
}
