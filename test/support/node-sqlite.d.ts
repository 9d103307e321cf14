// Declares the used part of `node:sqlite`, which the types of Node.js 20 lack.
declare module 'node:sqlite' {
  type SQLInputValue = null | number | bigint | string | NodeJS.ArrayBufferView
  type SQLOutputValue = null | number | bigint | string | Uint8Array
  interface StatementSync {
    all(...anonymousParameters: SQLInputValue[]): Record<string, SQLOutputValue>[]
    run(...anonymousParameters: SQLInputValue[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  }
  export class DatabaseSync {
    constructor(path: string, options?: { readOnly?: boolean; timeout?: number })
    exec(sql: string): void
    prepare(sql: string): StatementSync
    close(): void
  }
}
