import { runProgram } from './program.ts'

// For a runtime with a command line.
const { Bun, Deno } = globalThis as { Bun?: { version: string }; Deno?: { version: { deno: string } } }
const version = Bun?.version ?? Deno?.version.deno ?? process.versions.node
console.log(JSON.stringify(await runProgram(JSON.parse(process.argv[2] ?? ''), version)))
