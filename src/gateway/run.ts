import { once } from 'node:events'
import type { Io } from '../cli/io.ts'
import { EXIT } from '../cli/usage.ts'
import { startGateway } from './gateway.ts'
import { type Flags, givenOptions } from './given-options.ts'
import { logText } from './log.ts'
import { validateSettings } from './options.ts'

/** What `signed-requests gateway` does: runs until it is told to end. Resolves to the exit code. */
export async function runGateway({ check, ...flags }: Flags, io: Io): Promise<number> {
  const settings = validateSettings(givenOptions(flags, io.env))
  if (check === true) {
    io.print('the options are good')
    return EXIT.verified
  }
  const gateway = await startGateway(settings, exchange => io.print(logText(exchange, settings.log)))
  io.note(
    `listening on ${settings.tls ? 'https' : 'http'}://${gateway.address} for ${settings.upstream.origin}`
  )
  if (gateway.admin !== undefined) io.note(`admin page on http://${gateway.admin}/`)
  if (settings.observe) io.note('OBSERVING: every request is forwarded, NOTHING IS REFUSED')
  await Promise.race(['SIGTERM', 'SIGINT'].map(signal => once(process, signal)))
  return (await gateway.close()) ? EXIT.verified : EXIT.rejected
}
