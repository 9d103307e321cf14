import { onTestFinished } from 'vitest'
import { postgresServer } from '../../../test/unit/replay/postgres-server.ts'
import { redisServer } from '../../../test/unit/replay/redis-server.ts'

export type Kind = 'redis' | 'postgres'

export const urlOf = (kind: Kind, port: number) =>
  kind === 'redis' ? `redis://127.0.0.1:${port}/1` : `postgres://postgres@127.0.0.1:${port}/postgres`

/** Starts a database for one test. Each answered write is on disk. */
export async function startDatabase(kind: Kind) {
  const server = kind === 'redis' ? await redisServer({ durable: true }) : await postgresServer()
  onTestFinished(server.remove)
  await server.start()
  return { ...server, url: urlOf(kind, server.port) }
}
