import { fail, type Result } from '../result.ts'

/** Adds what stands around the position at which a header is malformed. */
export function showNear<T>(read: Result<T>, header: string): Result<T> {
  if (read.ok || read.code !== 'signature-malformed' || read.evidence === undefined) return read
  const { position } = read.evidence
  return fail('signature-malformed', {
    ...read.evidence,
    near: header.slice(Math.max(0, position - 20), position + 20)
  })
}
