import { mistake } from '../core/mistakes.ts'
import { CODES } from '../core/result/codes.ts'
import { errorLabel } from '../core/result/result.ts'
import { isWorkers } from '../core/runtime.ts'
import { isSignedUnderDomain } from '../core/verdict/log-record.ts'
import { createVerifier } from '../core/verify.ts'
import { fromFixture } from '../fixture/from-fixture.ts'
import type { VectorFile } from '../fixture/vector.ts'
import { createShelf, type Item } from './shelf.ts'

/** A fixture to write. */
export interface Entry extends Item {
  /** milliseconds since 1970 */
  readonly time: number
  readonly code: string
  readonly document: () => VectorFile
}

/** Matches the names that a recorder writes, and no others: `2026-11-24T15-05-38.123Z-digest-mismatch-1.json`. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-([a-z-]+)-(\d{1,9})\.json$/

/** A file of this directory that was written here, by this process or an earlier one. */
interface File extends Item {
  readonly name: string
  /** counts up, in all processes: a clock may go back */
  readonly number: number
}

/**
 * Limits the bytes of a file that are read to find out whether its request is signed; files of a recorder are smaller.
 */
export const MAX_READ = 1_048_576

/**
 * Writes fixtures to a directory, one at a time, and after the responses. A file that cannot be written is given up,
 * and the console says so once.
 *
 * @throws TypeError where the runtime keeps no files
 */
export function createFiles(directory: string, keep: number) {
  // The file system of a Worker ends with each request.
  const fs = isWorkers() ? undefined : globalThis.process?.getBuiltinModule?.('node:fs')
  if (fs === undefined) throw mistake('directory is', directory, 'leave it out: this runtime keeps no files')
  const { open, readdir, unlink } = fs.promises
  let isSaid = false
  const waiting = createShelf<Entry & { readonly order: number }>(keep)
  const isSignedByName = new Map<string, boolean>()
  let added = 0
  let done = 0
  let isWriting = false
  const listeners = new Set<() => void>()

  function say(error: unknown): void {
    if (isSaid) return
    isSaid = true
    console.error(
      `signed-requests: the recorder cannot write to its directory (${errorLabel(error)}); it keeps the requests in ` +
        'memory, and says this once'
    )
  }

  const problem = makeDirectory(fs, directory)
  if (problem !== undefined) say(problem)

  /** Lists the files of this recorder and of earlier ones, the oldest first. */
  async function list(): Promise<File[]> {
    const found = (await readdir(directory, { withFileTypes: true })).flatMap(entry => {
      const parts = entry.isFile() ? NAME.exec(entry.name) : null
      return parts && Object.hasOwn(CODES, parts[1]!) ? [{ name: entry.name, number: Number(parts[2]) }] : []
    })
    const files: File[] = []
    for (const file of found) files.push({ ...file, isSigned: await isSignedFile(file.name) })
    const names = new Set(found.map(({ name }) => name))
    for (const name of isSignedByName.keys()) if (!names.has(name)) isSignedByName.delete(name)
    // Two processes may write at once and choose the same number: a name begins with its time.
    return files.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
  }

  async function isSignedFile(name: string): Promise<boolean> {
    const known = isSignedByName.get(name)
    if (known !== undefined) return known
    const isSigned = await isSignedDocument(async () => {
      const file = await open(`${directory}/${name}`)
      try {
        const { size } = await file.stat()
        return size > MAX_READ ? '' : String(await file.readFile())
      } finally {
        await file.close()
      }
    })
    isSignedByName.set(name, isSigned)
    return isSigned
  }

  /** Removes a file, which another process or a person may have removed already. */
  async function remove(name: string): Promise<void> {
    await unlink(`${directory}/${name}`).catch(error => {
      if (error.code !== 'ENOENT') throw error
    })
  }

  async function write({ time, code, document, isSigned }: Entry): Promise<void> {
    const text = `${JSON.stringify(document(), null, 2)}\n`
    const files = await list()
    const number = Math.max(0, ...files.map(file => file.number)) + 1
    const name = `${stamp(time)}-${code}-${number}.json`
    // The file must be new, and not a link.
    const file = await open(`${directory}/${name}`, 'wx', 0o600)
    try {
      await file.writeFile(text)
    } catch (error) {
      await unlink(`${directory}/${name}`)
      throw error
    } finally {
      await file.close()
    }
    isSignedByName.set(name, isSigned)
    const shelf = createShelf<File>(keep)
    for (const one of [...files, { name, number, isSigned }]) {
      const surplus = shelf.add(one)
      if (surplus !== undefined) await remove(surplus.name)
    }
  }

  async function writeAll(): Promise<void> {
    for (;;) {
      await afterAnswers()
      const next = waiting.takeOldest()
      if (next === undefined) break
      await write(next).catch(say)
      done = next.order
      for (const listener of [...listeners]) listener()
    }
    isWriting = false
    done = added
    for (const listener of [...listeners]) listener()
  }

  return {
    /** Queues a fixture. When the disk is slower than requests are refused, the oldest fixtures are given up. */
    add(entry: Entry): void {
      added += 1
      waiting.add({ ...entry, order: added })
      if (isWriting) return
      isWriting = true
      void writeAll()
    },
    /** Resolves when all earlier fixtures are written or given up. */
    written(): Promise<void> {
      const last = added
      return new Promise(resolve => {
        const listener = () => {
          if (done < last) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
        listener()
      })
    }
  }
}

/**
 * Creates a directory and the missing ones above it; returns the error if it does not exist afterwards. Creates them
 * one by one, because Node.js 20 never returns from a recursive `mkdir` below /proc.
 */
function makeDirectory(fs: typeof import('node:fs'), directory: string): unknown {
  const parts = directory.split('/')
  let problem: unknown
  for (let count = 1; count <= parts.length; count++) {
    try {
      problem = undefined
      fs.mkdirSync(parts.slice(0, count).join('/'), { mode: 0o700 })
    } catch (error) {
      problem = error
    }
  }
  try {
    return fs.statSync(directory).isDirectory() ? undefined : problem
  } catch (error) {
    return error
  }
}

/** The end of the year 9999, in milliseconds: a later time has another form. */
const END_OF_TIME = 253_402_300_799_999

/** Writes a time as `2026-11-24T15-05-38.123Z`, without colons, which some systems refuse in names. */
const stamp = (time: number): string =>
  new Date(time >= 0 && time <= END_OF_TIME ? time : Date.now()).toISOString().replaceAll(':', '-')

/** Lets the event loop send waiting responses first. */
const afterAnswers = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Returns whether the request of a document is signed under the domain; false for a document that cannot be read. */
async function isSignedDocument(load: () => Promise<string>): Promise<boolean> {
  let isSigned = false
  try {
    const { request, options } = fromFixture(JSON.parse(await load()))
    isSigned = isSignedUnderDomain(await createVerifier(options)({ ...request, body: null }))
  } catch {
    // It is not a fixture.
  }
  return isSigned
}
