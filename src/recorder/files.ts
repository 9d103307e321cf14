import { mistake } from '../core/mistakes.ts'
import { errorLabel } from '../core/result/result.ts'
import { isWorkers } from '../core/runtime.ts'
import type { VectorFile } from '../fixture/vector.ts'
import { nextFile, parseRecordedName, type RecordedFile, type Signer } from './file-names.ts'
import { createQueue } from './queue.ts'
import { createStore, type StoreItem } from './store.ts'

/** A fixture to write. */
export interface FileEntry extends StoreItem {
  /** milliseconds since 1970 */
  readonly time: number
  /** both are asked for when the file is written: a flood of requests that are dropped before costs less */
  readonly signer: () => Signer
  readonly document: () => VectorFile
}

type FileSystem = typeof import('node:fs')

/**
 * Writes fixtures to a directory, one at a time, and after the responses. A file that cannot be written is given up,
 * and the console says so once.
 *
 * @throws TypeError where the runtime keeps no files
 */
export function createFiles(directory: string, keep: number) {
  const fs = fileSystem(directory)
  const report = createReport(directory)
  const problem = makeDirectory(fs, directory)
  if (problem !== undefined) report(problem)
  return createQueue<FileEntry>(keep, entry => writeFile(fs, directory, keep, entry).catch(report))
}

function fileSystem(directory: string): FileSystem {
  // The file system of a Worker ends with each request.
  const fs = isWorkers() ? undefined : globalThis.process?.getBuiltinModule?.('node:fs')
  if (fs === undefined)
    throw mistake('directory is', directory, 'leave it out: this runtime keeps no files between requests')
  return fs
}

/** Makes the function that tells the console about the first error. */
function createReport(directory: string): (error: unknown) => void {
  let isReported = false
  return error => {
    if (isReported) return
    isReported = true
    console.error(
      `signed-requests: the recorder cannot write to its directory ${JSON.stringify(directory)} ` +
        `(${errorLabel(error)}); it keeps the requests in memory. This is logged once`
    )
  }
}

/**
 * Creates a directory and the missing ones above it; returns the error if it does not exist afterwards. Creates them
 * one by one, because Node.js 20 never returns from a recursive `mkdir` below /proc.
 */
function makeDirectory(fs: FileSystem, directory: string): unknown {
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

/** Writes one fixture, and removes the files that are then too many. */
async function writeFile(fs: FileSystem, directory: string, keep: number, entry: FileEntry): Promise<void> {
  const text = `${JSON.stringify(entry.document(), null, 2)}\n`
  const files = await listFiles(fs, directory)
  const added = nextFile(files, { time: entry.time, code: entry.code, signer: entry.signer() })
  await writeNew(fs, `${directory}/${added.name}`, text)
  const store = createStore<RecordedFile>(keep)
  for (const file of [...files, added]) {
    const evicted = store.add(file)
    if (evicted !== undefined) await removeFile(fs, `${directory}/${evicted.name}`)
  }
}

/** Lists the files of this recorder and of earlier ones, the oldest first. */
async function listFiles({ promises }: FileSystem, directory: string): Promise<RecordedFile[]> {
  const entries = await promises.readdir(directory, { withFileTypes: true })
  const files = entries.flatMap(entry => (entry.isFile() && parseRecordedName(entry.name)) || [])
  // A name begins with its time.
  return files.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
}

/** Writes a file that must be new, and not a link; leaves no half of it. */
async function writeNew({ promises }: FileSystem, path: string, text: string): Promise<void> {
  const file = await promises.open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
  } catch (error) {
    await promises.unlink(path)
    throw error
  } finally {
    await file.close()
  }
}

/** Removes a file, which another process or a person may have removed already. */
async function removeFile({ promises }: FileSystem, path: string): Promise<void> {
  await promises.unlink(path).catch(error => {
    if (error.code !== 'ENOENT') throw error
  })
}
