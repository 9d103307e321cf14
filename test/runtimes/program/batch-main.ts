import { readFileSync, writeFileSync } from 'node:fs'
import { judgeAll } from './batch.ts'

// For a runtime with a command line: from a file to a file.
const [, , input = '', output = ''] = process.argv
writeFileSync(output, JSON.stringify(await judgeAll(JSON.parse(readFileSync(input, 'utf8')))))
