import { explain } from '../explain/explain.ts'
import { duration, wrapWords } from '../explain/text.ts'
import type { Verdict } from '../verdict/verdict.ts'

const NOT_CAPTURED = 'not-in-the-capture'

/** Replaces a body that the capture does not have. It is read only after the signature has verified. */
export const MISSING_BODY: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({
    next: () => Promise.reject(Object.assign(new Error('the capture has no body'), { code: NOT_CAPTURED }))
  })
}

/**
 * The text of `explain`, adapted to a capture: the body may not be in the file, and an old Date says nothing about this
 * machine's clock.
 *
 * @param about.isOld judged by this machine's clock
 */
export function captureText(verdict: Verdict, about: { isBodyMissing: boolean; isOld: boolean }): string {
  const blocks = (about.isBodyMissing ? withoutBody(verdict) : explain(verdict)).split('\n\n')
  return blocks.map(block => (about.isOld ? ofItsTime(block, verdict) : block)).join('\n\n')
}

/** Every other check has passed, or the body would not have been asked for. */
function withoutBody(verdict: Verdict): string {
  const { digest } = verdict.checks
  if (verdict.status === 'verified' || !('code' in digest) || digest.code !== 'body-unreadable') {
    return explain(verdict)
  }
  const checks = {
    ...verdict.checks,
    digest: { outcome: 'not-run', reason: 'the capture does not have the body' } as const
  }
  const failures = verdict.failures.filter(({ code }) => code !== 'body-unreadable')
  const [, ...lines] = explain({ ...verdict, failures, checks } as unknown as Verdict).split('\n')
  return ['unavailable: the body is not in the capture; all else passed', ...lines].join('\n')
}

const TIMES = ['date-too-old', 'signature-created-out-of-range', 'signature-expired']

function ofItsTime(block: string, verdict: Verdict): string {
  const code = TIMES.find(name => block.startsWith(`${name}\n`))
  const failure =
    verdict.status === 'verified' ? undefined : verdict.failures.find(failure => failure.code === code)
  const { offsetSeconds = 0 } = (failure?.evidence ?? {}) as { offsetSeconds?: number }
  if (code === undefined || offsetSeconds > 0) return block
  return [
    code,
    wrapWords('  likely cause: ', `the capture is ${duration(-offsetSeconds)} old`),
    wrapWords('  fix: ', 'Judge it as of its own time: --now date')
  ].join('\n')
}
