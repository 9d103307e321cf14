import { readdirSync } from 'node:fs'
import { UsageError } from '../../../flags/usage-error.ts'
import { createVerifier, logRecord, type Verdict, type VerifierOptions } from '../../../src/index.ts'
import { madeByKey, parseRecordedName, timeInName } from '../../../src/internal/index.ts'
import { completeEntry } from '../../captures/capture.ts'
import { readCapture } from '../../captures/read-capture.ts'
import { type Io, readBytes } from '../../command.ts'
import type { Incident } from './log-lines.ts'

/** Limits the files that are read, to the newest: a recorder keeps far fewer by default. */
const MAX_FILES = 10_000

/**
 * Lists the files of a recorder in a directory, the oldest first, and how many older ones are left out. @throws
 * UsageError
 */
export function listRecordedFiles(directory: string): { names: string[]; older: number } {
  const files = readdirSync(directory, { withFileTypes: true }).flatMap(entry =>
    // A recorder writes files, and reading a pipe or a device would not end.
    entry.isFile() ? (parseRecordedName(entry.name) ?? []) : []
  )
  if (files.length === 0)
    throw new UsageError(
      `${directory} (FILE) has no file of a recorder, such as 2026-11-24T15-05-38.123Z-digest-mismatch-key-1.json`
    )
  const sorted = files.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
  const names = sorted.slice(-MAX_FILES).map(({ name }) => name)
  return { names, older: files.length - names.length }
}

/**
 * Verifies the request of a recorder's file again, with the file's own DNS answers and clock, and says what a log line
 * would say of it. Of a file that is damaged, such as one that was cut off when the disk was full, its name says that.
 */
export async function incidentOfFile(
  directory: string,
  name: string,
  io: Io
): Promise<{ incident: Incident; isReadable: boolean }> {
  try {
    const [entry] = readCapture(await readBytes(`${directory}/${name}`, 'FILE', io))
    const { request, options } = completeEntry(entry!)
    const verdict = await createVerifier(options as VerifierOptions)(request)
    return { incident: incidentOfVerdict(name, verdict), isReadable: true }
  } catch {
    return { incident: incidentOfName(name), isReadable: false }
  }
}

function incidentOfVerdict(name: string, verdict: Verdict): Incident {
  const { status, code, signedUnderDomain, keyId, accountId, ...record } = logRecord(verdict)
  const { claimedKeyId, claimedAccountId } = record
  const { claimedHost } = record as { claimedHost?: string }
  return {
    time: timeInName(name),
    status,
    code,
    signedUnderDomain,
    madeByKey: signedByKey(name, verdict),
    keyId: keyId ?? claimedKeyId,
    accountId: accountId ?? claimedAccountId,
    host: claimedHost,
    leftOut: 0
  }
}

function incidentOfName(name: string): Incident {
  const { code, signer } = parseRecordedName(name)!
  return {
    time: timeInName(name),
    status: 'rejected',
    code: code.slice(0, -`-${signer}`.length),
    signedUnderDomain: signer !== 'unsigned',
    madeByKey: signer === 'key' ? true : undefined,
    keyId: undefined,
    accountId: undefined,
    host: undefined,
    leftOut: 0
  }
}

/** Says whether the published key made the signature: by the name of the file, or else by the signature itself. */
function signedByKey(name: string, { failures }: Verdict): boolean | undefined {
  if (parseRecordedName(name)?.signer === 'key') return true
  for (const { code, evidence } of failures) if (code === 'signature-mismatch') return madeByKey(evidence)
  return undefined
}
