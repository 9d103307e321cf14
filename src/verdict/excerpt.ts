import { fail, type Result } from './result.ts'

/** Adds the text around the position at which a header is malformed. */
export function withExcerpt<T>(parsed: Result<T>, header: string): Result<T> {
  if (parsed.ok || parsed.code !== 'signature-malformed') return parsed
  const { position } = parsed.evidence
  return fail('signature-malformed', {
    ...parsed.evidence,
    excerpt: header.slice(Math.max(0, position - 20), position + 20)
  })
}
