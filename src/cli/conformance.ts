import { parseArgs } from 'node:util'
import { SCHEMA_VERSION } from '../testing/vector-form.ts'
import { loadVectors, type Vector } from '../testing/vectors.ts'
import type { Command } from './command.ts'
import { type Answer, judgeAnswer } from './conformance/answer.ts'
import { runProgram } from './conformance/program.ts'
import { reportText } from './conformance/report.ts'
import { verdictText } from './conformance/verdict-text.ts'
import { HELP_OPTION, helpText, type OptionSpecs } from './help.ts'
import type { Io } from './io.ts'
import { printText } from './paint.ts'
import { EXIT, UsageError } from './usage.ts'

const OPTIONS = {
  only: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    about: 'a vector, a file of the suite (date), or a standard (draft-cavage: all files but rfc9421)',
    otherwise: 'all vectors'
  },
  list: { type: 'boolean', about: 'print the vectors instead: name, file and verdict' },
  timeout: { type: 'string', value: 'SECONDS', default: '30', about: 'how long to wait for an answer' },
  help: HELP_OPTION
} as const satisfies OptionSpecs

/** `signed-requests conformance` */
export const conformance: Command = {
  summary: 'run the vectors against a verifier in any language',
  help: helpText({
    usage: 'conformance [options] -- COMMAND [ARGUMENT...]',
    about:
      'Starts COMMAND, writes the vectors of the suite to its standard input, one a line as JSON, and reads its ' +
      'verdicts from its standard output, one a line:\n' +
      '{"status":"rejected","failures":[{"check":"date","code":"date-too-old"}]}',
    options: OPTIONS,
    examples: [
      'npx signed-requests conformance --only draft-cavage -- python3 verifier.py',
      'npx signed-requests conformance --list'
    ],
    exits: [
      [0, 'all answers are right'],
      [1, 'some answers differ'],
      [2, 'the program could not be started, or did not give one answer to each vector'],
      [64, 'a mistake on the command line']
    ]
  }),
  run
}

async function run(args: string[], io: Io): Promise<number> {
  const end = args.indexOf('--')
  const [own, [command, ...rest]] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)]
  const { values } = parseArgs({ args: own, options: OPTIONS })
  const timeout = parseTimeout(values.timeout)
  const vectors = selectVectors(loadVectors(), values.only ?? [])
  if (values.list) {
    for (const { name, file, verdict } of vectors)
      io.print(`${name.padEnd(56)} ${file.padEnd(16)} ${verdictText(verdict)}`)
    return EXIT.verified
  }
  if (command === undefined || command === '')
    throw new UsageError('conformance takes a command after --, such as: conformance -- python3 verifier.py')

  const answers: Answer[] = []
  const lines = vectors.map(lineOf)
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

/** A vector with what its file says of it: the program sees no files. */
export const lineOf = ({ json, source }: Vector): string =>
  JSON.stringify({ schema_version: SCHEMA_VERSION, ...json, source })

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
