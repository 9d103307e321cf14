import { mistake, ownOptions } from '../core/mistakes.ts'
import { validateBoolean, validateNumber } from '../core/options/values.ts'
import type { RefusedRequest } from '../core/verdict/refused-request.ts'
import { createFiles } from './files.ts'
import { codeOf, documentOfKept, type Kept, keep } from './kept.ts'
import type { Recorder } from './recorder.ts'
import { createShelf } from './shelf.ts'

/** Limits of a recorder, and its directory; all of it is optional. */
export interface RecorderOptions {
  /** the number of requests, 50 by default; half of it is for requests that are signed under the service's domain */
  keep?: number | undefined
  /** bytes of each body, 65536 by default */
  maxBodyBytes?: number | undefined
  /**
   * whether to empty header values that no check or explanation reads, and to leave out an unread body; true by default
   */
  redact?: boolean | undefined
  /**
   * the directory in which each request is a file, too; it is created if it is missing. Give it to this recorder alone
   */
  directory?: string | undefined
}

const OPTION_NAMES = ['keep', 'maxBodyBytes', 'redact', 'directory'] as const

/**
 * Keeps the last requests that a verifier did not verify, each as a fixture that gives the same verdict again on any
 * machine: for `signed-requests explain`, and for a test (`fromFixture`). A verified request costs nothing. Memory and
 * files are bounded whatever is sent, and scanners evict no request that is signed under the service's domain.
 *
 * @throws TypeError for a bad option
 * @example
 * ```ts
 * import { createVerifier } from 'signed-requests'
 * import { createRecorder } from 'signed-requests/recorder'
 *
 * const recorder = createRecorder({ directory: '/var/lib/receiver/refused' })
 * const verify = createVerifier({
 *   serviceDomain: 'service.example',
 *   hosts: 'hooks.example.com',
 *   accounts: '1234',
 *   recorder
 * })
 * console.log(typeof verify, recorder.fixtures().length)
 * ```
 */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  const given = ownOptions('createRecorder', options, OPTION_NAMES)
  const count = validateNumber(given.keep, 50, 'keep', 'requests')
  const maxBodyBytes = validateNumber(given.maxBodyBytes, 65_536, 'maxBodyBytes', 'bytes', { min: 0 })
  const redact = validateBoolean(given.redact ?? true, 'redact')
  const { directory } = given
  if (directory !== undefined && (typeof directory !== 'string' || directory === ''))
    throw mistake('directory is', directory, 'pass the path of a directory, such as "/var/lib/receiver/refused"')

  const shelf = createShelf<Numbered>(Math.floor(count))
  const files = directory === undefined ? undefined : createFiles(directory, Math.floor(count))
  let number = 0

  const documentOf = (kept: Numbered) => documentOfKept(kept, `${codeOf(kept)}-${kept.number}`, redact)

  return {
    fixtures: () => shelf.newestFirst().map(documentOf),
    written: async () => files?.written(),
    record(refused) {
      number += 1
      const kept: Numbered = { ...keep(refused as RefusedRequest, maxBodyBytes), number }
      shelf.add(kept)
      files?.add({
        isSigned: kept.isSigned,
        time: kept.seen.now,
        code: codeOf(kept),
        document: () => documentOf(kept)
      })
    }
  }
}

interface Numbered extends Kept {
  /** counts up */
  readonly number: number
}
