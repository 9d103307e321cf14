import { readFileSync } from 'node:fs'
import { runProgram } from './program.ts'

// For a runtime with a command line; the input is too long for an argument.
const { Bun, Deno } = globalThis as { Bun?: { version: string }; Deno?: { version: { deno: string } } }
const version = Bun?.version ?? Deno?.version.deno ?? process.versions.node
console.log(JSON.stringify(await runProgram(JSON.parse(readFileSync('input.json', 'utf8')), version)))
