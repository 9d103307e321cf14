// For the gateway, until it has its own.
export { UsageError } from './command.ts'
export const EXIT = { verified: 0, rejected: 1, unavailable: 2, usage: 64 } as const
