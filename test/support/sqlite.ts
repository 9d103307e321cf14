import sqlite, { type BindValues } from 'node-sqlite3-wasm'

/**
 * SQLite, compiled to WebAssembly, with the methods of `DatabaseSync` of `node:sqlite` that the store uses. Node.js 20
 * does not have that module; `test/runtimes` tests it, and the other libraries.
 */
export class DatabaseSync {
  readonly #database: InstanceType<typeof sqlite.Database>

  constructor(file: string) {
    this.#database = new sqlite.Database(file)
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  prepare(sql: string) {
    const statement = this.#database.prepare(sql)
    return {
      all: (...values: (string | number)[]) => statement.all(values as BindValues),
      run: (...values: (string | number)[]) => statement.run(values as BindValues)
    }
  }

  close(): void {
    this.#database.close()
  }
}
