export type { Io } from './command.ts'
