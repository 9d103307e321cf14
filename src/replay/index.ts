/**
 * Stores that let each request in once.
 *
 * @module signed-requests/replay
 */

export type { ReplayStore } from '../core/replay/store.ts'
export { memoryReplayStore } from './memory.ts'
export { type PostgresClient, postgresReplayStore, postgresReplayTable } from './postgres.ts'
export { type IoredisClient, type NodeRedisClient, type RedisReplayStoreOptions, redisReplayStore } from './redis.ts'
export { type SqliteDatabase, sqliteReplayStore } from './sqlite.ts'
