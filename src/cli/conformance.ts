import { parseArgs } from 'node:util'
import { loadVectors, type Vector } from '../testing/vectors.ts'
import { type Answer, judgeAnswer } from './conformance/answer.ts'
import { runProgram } from './conformance/program.ts'
import { reportText } from './conformance/report.ts'
import { verdictText } from './conformance/verdict-text.ts'
import type { Io } from './io.ts'
import { printText } from './paint.ts'
import { EXIT, UsageError } from './usage.ts'

const HELP = `Usage: signed-requests conformance [options] -- COMMAND [ARGUMENT...]

Starts COMMAND, writes the vectors of the suite to its standard input, one a
line as JSON, and reads its verdicts from its standard output, one a line:
{"status":"rejected","failures":[{"check":"date","code":"date-too-old"}]}

  --only NAME         a vector, a file of the suite (date), or a standard
                      (draft-cavage, rfc9421); may be repeated
  --list              print the vectors instead: name, file and verdict
  --timeout SECONDS   how long to wait for an answer; 30 by default

Exit codes: 0 all answers are right, 1 some differ, 2 the program could not be
started or did not answer, 64 usage.`

const OPTIONS = {
  only: { type: 'string', multiple: true },
  list: { type: 'boolean' },
  timeout: { type: 'string' },
  help: { type: 'boolean', short: 'h' }
} as const

/** `signed-requests conformance` */
export async function conformanceCommand(args: string[], io: Io): Promise<number> {
  const end = args.indexOf('--')
  const [own, [command, ...rest]] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)]
  const { values } = parseArgs({ args: own, options: OPTIONS })
  if (values.help) {
    io.print(HELP)
    return EXIT.verified
  }
  const timeout = parseTimeout(values.timeout ?? '30')
  const vectors = selectVectors(loadVectors(), values.only ?? [])
  if (values.list) {
    for (const { name, file, verdict } of vectors) io.print(`${name}\t${file}\t${verdictText(verdict)}`)
    return EXIT.verified
  }
  if (command === undefined || command === '')
    throw new UsageError('conformance takes a command after --, such as: conformance -- python3 verifier.py')

  const answers: Answer[] = []
  const lines = vectors.map(({ json }) => JSON.stringify(json))
  const problem = await runProgram([command, ...rest], lines, timeout, line => {
    answers.push(judgeAnswer(line, vectors[answers.length]!.verdict))
  })
  printText(reportText(vectors, answers), io)
  if (problem !== undefined) {
    io.note(`signed-requests: ${problem}`)
    return EXIT.unavailable
  }
  return answers.every(({ isRight }) => isRight) ? EXIT.verified : EXIT.rejected
}

/** Seconds to milliseconds; a timer holds no more than 2^31 of them. */
function parseTimeout(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds <= 0 || seconds > 86_400)
    throw new UsageError('--timeout takes seconds, more than 0 and at most 86400')
  return seconds * 1000
}

function selectVectors(all: readonly Vector[], only: readonly string[]): readonly Vector[] {
  if (only.length === 0) return all
  const isSelected = ({ name, file }: Vector, wanted: string) =>
    wanted === name || wanted === file || (wanted === 'draft-cavage' && file !== 'rfc9421')
  for (const wanted of only) {
    if (all.some(vector => isSelected(vector, wanted))) continue
    const files = [...new Set(all.map(({ file }) => file))]
    throw new UsageError(
      `there is no vector ${wanted} (see --list), and no such file among draft-cavage, ${files.join(', ')}`
    )
  }
  return all.filter(vector => only.some(wanted => isSelected(vector, wanted)))
}
