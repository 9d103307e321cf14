import { run } from './command.ts'
import { createLineWriter } from './log.ts'

let isStopped = false

process.exitCode = await run(process.argv.slice(2), {
  print: createLineWriter(process.stdout),
  note: createLineWriter(process.stderr),
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
  process.stdout.write('', () => process.exit())
  setTimeout(() => process.exit(), 500)
}
