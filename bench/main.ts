import { readFileSync, writeFileSync } from 'node:fs'
import { printAccepting } from './accepting.ts'
import { chartOf } from './chart.ts'
import { costs, promises, withFigures } from './figures.ts'
import { printRefusing } from './hostile.ts'
import { printBesideBare } from './http/beside-bare.ts'
import { printMachine } from './report.ts'
import { printStart } from './start.ts'
import { printUnwanted } from './unwanted/print.ts'

printMachine()
const start = await printStart()
const accepting = await printAccepting()
const besideBare = await printBesideBare()
const refusing = await printRefusing()
const unwanted = await printUnwanted()
if (process.argv.includes('--docs')) writeDocs()
const broken = [...refusing.broken, ...unwanted.broken]
for (const promise of broken) console.log(`BROKEN: ${promise}`)
if (broken.length > 0) process.exitCode = 1

/** All figures of the pages and the chart are those of this run. */
function writeDocs(): void {
  const [floor, ours, ...peers] = accepting.beside
  if (peers.length === 0) throw new Error('no libraries to compare with: npm ci --prefix bench')
  const named = { ...ours!, name: 'signed-requests', note: 'all checks, and a key lookup' }
  const sorted = [floor!, named, ...peers.sort((a, b) => a.low - b.low)]
  const measured = `1 KB body, 2048-bit key; Node.js ${process.version}; the shorter the better`
  const page = (name: string) => new URL(`../${name}`, import.meta.url)
  const write = (name: string, figures: string) =>
    writeFileSync(page(name), withFigures(readFileSync(page(name), 'utf8'), figures))

  writeFileSync(page('docs/speed.svg'), chartOf('Time to verify a request', sorted, measured))
  write('docs/operations.md', costs(accepting, refusing, start, process.versions.node))
  write('bench/README.md', promises(accepting, besideBare, refusing))
  write('docs/threat-model.md', unwanted.table)
}
