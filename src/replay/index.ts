export { memoryReplayStore } from './memory.ts'
export { type IoredisClient, type NodeRedisClient, redisReplayStore } from './redis.ts'
export type { ReplayStore } from './store.ts'
