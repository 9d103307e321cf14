// Prints the score of each folder from the report of the last run. Fails below 96 %.
import { readFileSync } from 'node:fs'

const LEAST = 96

interface Report {
  files: Readonly<Record<string, { mutants: readonly { status: string }[] }>>
}

const report = JSON.parse(readFileSync('reports/mutation/mutation.json', 'utf8')) as Report
const folders = new Map<string, { noticed: number; all: number }>()
for (const [path, { mutants }] of Object.entries(report.files)) {
  const folder = path.split('/').slice(0, -1).join('/')
  const counts = folders.get(folder) ?? { noticed: 0, all: 0 }
  for (const { status } of mutants) {
    const isNoticed = status === 'Killed' || status === 'Timeout'
    if (isNoticed) counts.noticed += 1
    if (isNoticed || status === 'Survived' || status === 'NoCoverage') counts.all += 1
  }
  folders.set(folder, counts)
}
for (const [folder, { noticed, all }] of folders) {
  const score = (100 * noticed) / all
  console.log(`${score.toFixed(1).padStart(5)} %  ${noticed} of ${all}  ${folder}`)
  if (score < LEAST) process.exitCode = 1
}
