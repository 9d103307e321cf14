import type { Io } from '../../../src/cli/io.ts'
import { EXIT } from '../../../src/cli/usage.ts'
import { startGateway } from '../gateway.ts'
import { logText } from '../log.ts'
import { type Flags, givenOptions } from './given-options.ts'
import { validateSettings } from './validate-settings.ts'

/** What `signed-requests gateway` does: runs until it is told to end. Resolves to the exit code. */
export async function runGateway({ check, ...flags }: Flags, io: Io): Promise<number> {
  const settings = validateSettings(givenOptions(flags, io.env))
  const { tls, https, verifier } = settings
  if (tls === undefined && https === undefined && verifier.requireHttps !== false) {
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
  if (settings.observe) io.note('OBSERVING: every request is forwarded, NOTHING IS REFUSED')

  const gateway = await startGateway(settings, exchange => io.print(logText(exchange, settings.log)))
  io.note(
    `listening on ${settings.tls ? 'https' : 'http'}://${gateway.address} for ${settings.upstream.origin}`
  )
  if (gateway.admin !== undefined) io.note(`admin page on http://${gateway.admin}/`)
  await stopped
  return (await gateway.close()) ? EXIT.verified : EXIT.rejected
}
