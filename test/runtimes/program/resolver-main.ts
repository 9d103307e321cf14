import { readFileSync } from 'node:fs'
import { runResolver } from './resolver.ts'

// For a runtime with a command line; the input is too long for an argument.
console.log(JSON.stringify(await runResolver(JSON.parse(readFileSync('resolver-input.json', 'utf8')))))
