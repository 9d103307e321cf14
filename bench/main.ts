import { printAccepting } from './accepting.ts'
import { printRefusing } from './hostile.ts'
import { printMachine } from './report.ts'

printMachine()
await printAccepting()
const broken = await printRefusing()
for (const promise of broken) console.log(`BROKEN: ${promise}`)
if (broken.length > 0) process.exitCode = 1
