import { readFileSync } from 'node:fs'
import { runTask } from './tasks.ts'

// A runtime with a command line reads a file; the input is too long for an argument.
console.log(JSON.stringify(await runTask(JSON.parse(readFileSync(process.argv[2]!, 'utf8')))))
