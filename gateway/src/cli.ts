import { run } from './command.ts'
import { createLineWriter } from './log.ts'

let isStopped = false
const log = createLineWriter(process.stdout)
const notes = createLineWriter(process.stderr)
// A crash must not take the lines that say what came before it.
process.on('exit', () => {
  log.flush()
  notes.flush()
})

process.exitCode = await run(process.argv.slice(2), {
  print: log.print,
  note: notes.print,
  env: process.env,
  stopped: () =>
    new Promise(resolve => {
      const stop = (signal: NodeJS.Signals) => {
        isStopped = true
        resolve(signal)
      }
      // The listeners stay: each process of a group may get the signal twice.
      process.on('SIGTERM', stop).on('SIGINT', stop)
    })
})
if (isStopped) {
  // A lookup that DNS never answers, or a log reader that has stalled, would keep the process.
  log.flush()
  process.stdout.write('', () => process.exit())
  setTimeout(() => process.exit(), 500)
}
