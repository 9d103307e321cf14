// Changes a sample of the code around the verifier, folder by folder, and sees whether its tests notice. Prints the
// seed of the sample, a table, and each surviving change with the reason. Fails below 90 % in a folder.
//   tsx test/mutation/sampled.ts [--seed N] [--sample N] [FOLDER...]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FOLDERS } from './sampled-folders.ts'
import { reasonOf } from './survivors.ts'

const LEAST = 90
const REPORT = 'reports/mutation/sampled.json'

interface Place {
  line: number
  column: number
}

interface Mutant {
  readonly status: string
  readonly replacement: string
  readonly location: { start: Place; end: Place }
}

interface Report {
  readonly files: Readonly<Record<string, { source: string; mutants: readonly Mutant[] }>>
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    sample: { type: 'string', default: '64' },
    concurrency: { type: 'string', default: '2' }
  }
})
const { seed, sample, concurrency } = values

/** An error outside of a test fails `npm test` too. */
const NOTICED = ['Killed', 'Timeout', 'RuntimeError']
const UNNOTICED = ['Survived', 'NoCoverage']

/** Runs StrykerJS on one folder. */
async function mutate(folder: string): Promise<Report> {
  const { files } = FOLDERS[folder]!
  const options = ['--mutate', files.join(','), '--concurrency', concurrency, '--logLevel', 'warn']
  const child = spawn(
    process.execPath,
    ['test/mutation/node_modules/.bin/stryker', 'run', 'test/mutation/sampled.config.json', ...options],
    {
      env: { ...process.env, MUTATION_FOLDER: folder, MUTATION_SEED: seed, MUTATION_SAMPLE: sample },
      stdio: ['ignore', 'inherit', 'inherit']
    }
  )
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`StrykerJS ended with ${code} in ${folder}`)
  return JSON.parse(readFileSync(REPORT, 'utf8')) as Report
}

/** Cuts the text of a mutant out of its source. */
function originalOf(source: string, { start, end }: Mutant['location']): string {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines.at(-1)!.slice(0, end.column - 1)
  return [lines[0]!.slice(start.column - 1), ...lines.slice(1)].join('\n')
}

const folders = positionals.length > 0 ? positionals : Object.keys(FOLDERS)
const unknown = folders.filter(folder => !Object.hasOwn(FOLDERS, folder))
if (unknown.length > 0) throw new Error(`not a folder of sampled-folders.ts: ${unknown.join(', ')}`)

console.log(`seed ${seed}, at most ${sample} mutants in each folder; --seed N takes others\n`)
const rows: string[] = []
for (const folder of folders) {
  const { files } = await mutate(folder)
  const tried = Object.entries(files).flatMap(([path, { source, mutants }]) =>
    mutants.map(mutant => ({ path, ...mutant, original: originalOf(source, mutant.location) }))
  )
  const noticed = tried.filter(({ status }) => NOTICED.includes(status))
  const survivors = tried.filter(({ status }) => UNNOTICED.includes(status))
  const all = noticed.length + survivors.length
  const score = (100 * noticed.length) / all
  // A late test may come from a busy machine, but a change that makes the test hang counts as noticed.
  const late = noticed.filter(({ status }) => status === 'Timeout').length
  const row = `${score.toFixed(1).padStart(5)} %  ${noticed.length} of ${all} (${late} by a timeout)  ${folder}`
  rows.push(row)
  console.log(row)
  for (const { path, location, original, replacement, status } of survivors) {
    const reason = reasonOf(path, original, replacement) ?? (status === 'NoCoverage' ? 'no test runs it' : 'no reason')
    const [was, is] = [original, replacement].map(text => text.replace(/\s+/g, ' ').slice(0, 160))
    console.log(`       ${path}:${location.start.line}  ${was}  ->  ${is}  (${reason})`)
  }
  if (score < LEAST) process.exitCode = 1
}
console.log(`\nseed ${seed}\n${rows.join('\n')}`)
