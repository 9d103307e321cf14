import cluster from 'node:cluster'
import type { Io } from '../../../src/cli/io.ts'
import { EXIT } from '../../../src/cli/usage.ts'
import type { DnsAnswer } from '../dns-answers.ts'
import type { Exchange } from '../exchange.ts'
import { startGateway } from '../gateway.ts'
import { logText } from '../log.ts'
import { createReporter } from '../report.ts'
import type { GatewaySettings } from '../settings.ts'
import { type Flags, givenOptions } from './given-options.ts'
import { validateSettings } from './validate-settings.ts'
import { runWorkers } from './workers.ts'

/** What `signed-requests gateway` does: runs until it is told to end. Resolves to the exit code. */
export async function runGateway({ check, ...flags }: Flags, io: Io): Promise<number> {
  const settings = validateSettings(givenOptions(flags, io.env))
  const { tls, https, verifier } = settings
  if (tls === undefined && https === undefined && verifier.requireHttps !== false && !cluster.isWorker) {
    io.note(
      'every request will be refused, as none can count as HTTPS: give --tls-key and --tls-cert, or --https'
    )
  }
  if (check === true) {
    io.print('the options are good')
    return EXIT.verified
  }
  // Registered from the start to the end: in a group of processes each may get the signal twice.
  const stopped = new Promise<void>(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
  })
  if (cluster.isWorker) return runWorker(settings, stopped, io)
  if (settings.observe) io.note('OBSERVING: every request is forwarded, NOTHING IS REFUSED')
  if (settings.workers > 1) return runWorkers(settings, stopped, io)

  const gateway = await startGateway(settings, exchange => io.print(logText(exchange, settings.log)))
  io.note(
    `listening on ${settings.tls ? 'https' : 'http'}://${gateway.address} for ${settings.upstream.origin}`
  )
  if (gateway.admin !== undefined) io.note(`admin page on http://${gateway.admin}/`)
  await stopped
  return (await gateway.close()) ? EXIT.verified : EXIT.rejected
}

/** One of several processes: what the page shows goes to the first one. */
async function runWorker(settings: GatewaySettings, stopped: Promise<void>, io: Io): Promise<number> {
  const { admin } = settings
  const dns = new Map<string, DnsAnswer>()
  const reporter = createReporter(message => process.send?.(message), dns, admin?.redact ?? true)
  try {
    const onExchange = (exchange: Exchange) => {
      io.print(logText(exchange, settings.log))
      if (admin !== undefined) reporter.add(exchange)
    }
    const gateway = await startGateway(settings, onExchange, dns)
    await stopped
    return (await gateway.close()) ? EXIT.verified : EXIT.rejected
  } finally {
    // The channel would keep this process running, and a message sent after it is closed would end it with an error.
    reporter.end()
    cluster.worker?.disconnect()
  }
}
