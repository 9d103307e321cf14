import { kindOfSetting, mistake, validateCall } from '../core/mistakes.ts'
import { validateBoolean, validateNumber } from '../core/options/values.ts'
import type { RefusedRequest } from '../core/verdict/refused-request.ts'
import { createFiles } from './files.ts'
import { documentOfRecorded, type Recorded, recordRequest, signerOf } from './recorded.ts'
import type { Recorder } from './recorder.ts'
import { createStore } from './store.ts'

/** Options of `createRecorder`; none is required. */
export interface RecorderOptions {
  /** how many requests to keep; 50 by default, half of them for requests that are signed under the service's domain */
  keep?: number | undefined
  /** bytes of each body, 65536 by default */
  maxBodyBytes?: number | undefined
  /**
   * whether to empty header values that no check or explanation reads, and to leave out an unread body; true by default
   */
  redact?: boolean | undefined
  /**
   * a directory to write each request to, too; created if it is missing. No other recorder may use it
   */
  directory?: string | undefined
}

const OPTION_NAMES = ['keep', 'maxBodyBytes', 'redact', 'directory'] as const

/**
 * Makes a recorder. It keeps each request that was not verified as a fixture that gives the same verdict on any
 * machine: for `signed-requests explain`, and for a test (`fromFixture`). Memory and files are bounded: the newest
 * requests stay, and the first of each code. Half of the places are for requests that are signed under the service's
 * domain.
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
  const [count, maxBodyBytes, redact, directory] = validateCall(
    createRecorder,
    'createRecorder',
    options,
    OPTION_NAMES,
    ({ keep, maxBodyBytes, redact = true, directory }) => [
      () => validateNumber(keep, 50, 'keep', 'requests'),
      () => validateNumber(maxBodyBytes, 65_536, 'maxBodyBytes', 'bytes', { min: 0 }),
      () => validateBoolean(redact, 'redact'),
      () => validateDirectory(directory)
    ]
  )
  const keep = Math.floor(count)
  const store = createStore<Numbered>(keep)
  const files = directory === undefined ? undefined : createFiles(directory, keep)
  let number = 0

  const documentFor = (recorded: Numbered) =>
    documentOfRecorded(recorded, `${recorded.code}-${recorded.number}`, redact)

  return {
    fixtures: () => store.newestFirst().map(documentFor),
    written: async () => files?.finished(),
    record(refused) {
      number += 1
      const recorded: Numbered = { ...recordRequest(refused as RefusedRequest, maxBodyBytes), number }
      store.add(recorded)
      files?.add({
        isSigned: recorded.isSigned,
        code: recorded.code,
        time: recorded.seen.now,
        signer: () => signerOf(recorded),
        document: () => documentFor(recorded)
      })
    }
  }
}

function validateDirectory(directory: unknown): string | undefined {
  if (directory === undefined || (typeof directory === 'string' && directory !== '')) return directory
  const rule = 'pass the path of a directory, such as "/var/lib/receiver/refused"'
  throw mistake('directory is', directory, rule, kindOfSetting)
}

interface Numbered extends Recorded {
  /** counts up */
  readonly number: number
}
