import { writeFileSync } from 'node:fs'
import { printAccepting } from './accepting.ts'
import { chartOf } from './chart.ts'
import { printRefusing } from './hostile.ts'
import { printMachine } from './report.ts'

printMachine()
const [floor, ours, ...peers] = await printAccepting()
if (process.argv.includes('--chart')) {
  if (floor === undefined || ours === undefined) throw new Error('no libraries to compare with: npm ci --prefix bench')
  const named = { ...ours, name: 'signed-requests', note: 'all checks, and a key lookup' }
  const sorted = [floor, named, ...peers.sort((a, b) => a.low - b.low)]
  const measured = `1 KB body, 2048-bit key; Node.js ${process.version}; the shorter the better`
  writeFileSync(new URL('../docs/speed.svg', import.meta.url), chartOf('Time to verify a request', sorted, measured))
}
const broken = await printRefusing()
for (const promise of broken) console.log(`BROKEN: ${promise}`)
if (broken.length > 0) process.exitCode = 1
