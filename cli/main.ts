import { EXIT } from './command.ts'
import { run } from './run-command.ts'

// The reader of the output may stop reading: `signed-requests explain FILE 2>&1 | head -1`.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', error => {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EPIPE') return
    // A full disk: without the output, an exit code would say nothing.
    if (stream === process.stdout) process.stderr.write(`signed-requests: cannot write the output: ${message}\n`)
    process.exit(EXIT.unknown)
  })

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  print: text => process.stdout.write(`${text}\n`),
  note: text => process.stderr.write(`${text}\n`),
  ...(process.stderr.isTTY && { progress: (text: string) => process.stderr.write(`${text}\n`) }),
  // hasColors() respects NO_COLOR and TERM=dumb.
  color: process.stdout.isTTY === true && process.stdout.hasColors(),
  env: process.env
})
