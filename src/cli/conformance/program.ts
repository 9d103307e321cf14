import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { escapeText } from '../../explain/text.ts'

/** Far longer than any verdict. */
const MAX_LINE = 64 * 1024

/** How much of standard error is kept, to be shown when the program fails. */
const MAX_ERROR = 500

/** How long a program may go on after its last answer, in milliseconds. */
const GRACE = 1000

/**
 * Runs a program: writes all lines to it, and passes on as many lines of its output. Resolves to what went wrong, or to
 * undefined. The program is not trusted: its output and its time are bounded, and it is ended together with what it has
 * started.
 *
 * @param timeout milliseconds without an answer
 */
export function runProgram(
  [command, ...args]: readonly [string, ...string[]],
  lines: readonly string[],
  timeout: number,
  onAnswer: (line: string) => void
): Promise<string | undefined> {
  return new Promise(resolve => {
    // In a process group of its own, so that what it starts ends with it.
    const child = spawn(command, args, { stdio: 'pipe', detached: process.platform !== 'win32' })
    const onSignal = () => finish('interrupted')
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal)

    let answered = 0
    let pending = ''
    let errors = ''
    let isFinished = false
    let timer = setTimeout(() => finish(lateText()), timeout)
    const lateText = () => `no answer within ${timeout / 1000} s, after ${answered} of ${lines.length}`

    function finish(problem: string | undefined): void {
      if (isFinished) return
      isFinished = true
      clearTimeout(timer)
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      endGroup(child)
      for (const stream of child.stdio) stream?.destroy()
      const said = errors.trim() === '' ? '' : `; it says: ${escapeText(errors.trim(), MAX_ERROR)}`
      resolve(problem === undefined ? undefined : `${escapeText(command, 200)}: ${problem}${said}`)
    }

    function takeLine(line: string): boolean {
      if (answered === lines.length) {
        finish(`more answers than vectors: the line after number ${answered} is ${escapeText(line, 100)}`)
        return false
      }
      answered += 1
      onAnswer(line)
      clearTimeout(timer)
      const isLast = answered === lines.length
      timer = isLast
        ? setTimeout(() => finish(undefined), GRACE)
        : setTimeout(() => finish(lateText()), timeout)
      return true
    }

    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (pending + text).split('\n')
      pending = parts.pop()!
      for (const part of parts) if (!takeLine(part)) return
      if (pending.length > MAX_LINE) finish(`answer ${answered + 1} is longer than ${MAX_LINE} characters`)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_ERROR)
    })
    child.on('error', error =>
      finish(`could not be started (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`)
    )
    child.on('close', (code, signal) => {
      // The last line may lack its end.
      if (pending !== '' && !takeLine(pending)) return
      if (answered === lines.length) return finish(undefined)
      finish(`ended with ${signal ?? `code ${code}`} after ${answered} of ${lines.length} answers`)
    })
    // A program that stops reading, or dies, closes its input; its exit explains why.
    child.stdin.on('error', () => {})
    Readable.from(lines.map(line => `${line}\n`)).pipe(child.stdin)
  })
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
