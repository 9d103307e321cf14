import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createVerifier } from 'signed-requests'
import { createCheck } from './check.ts'
import { listen, trackConnections } from './connections.ts'
import type { Exchange, Malformed } from './exchange.ts'
import type { AuthorizerSettings } from './options/authorize.ts'
import { connectReplayStore, NO_CLAIMS } from './replay-store.ts'
import { SERVER_TIMEOUTS } from './server-timeouts.ts'
import { watchStore } from './store-watch.ts'

export interface Authorizer {
  /** `127.0.0.1:9000` */
  readonly address: string
  /** Closes each connection after its next answer, so that proxies move on; new ones are still taken. */
  announceEnd(): void
  /** Takes no new connection and lets running checks end; true when nothing was left. */
  close(): Promise<boolean>
}

const LIMITS = {
  // Limits the head: the sender's own, and the headers that the engine adds.
  maxHeaderSize: 32_768,
  ...SERVER_TIMEOUTS,
  // Longer than engines keep a connection, so that the engine closes it.
  keepAliveTimeout: 120_000
}

/**
 * Answers proxies that ask before they forward: 200 for a verified request, and else 401, 413 or 503 without a body.
 *
 * @param onOver called once for each check, when it is over
 * @param note called with a line for the operator, such as that the replay store fails
 * @throws (rejects) when the address is in use, or the replay store cannot be reached
 */
export async function startAuthorizer(
  settings: AuthorizerSettings,
  onOver: (exchange: Exchange | Malformed) => void = () => {},
  note: (line: string) => void = () => {}
): Promise<Authorizer> {
  const { store, findings, close: closeStore } = await connectReplayStore(settings.replay)
  for (const finding of findings) note(`warning: ${finding}`)
  const watch = watchStore(store, note)
  const replayStore = watch.store ?? NO_CLAIMS
  const check = createCheck(settings, createVerifier({ ...settings.verifier, replayStore }))
  const server = createServer(
    LIMITS,
    (req, res) => void connections.run(res, async waits => onOver(watch.withError(await check(req, res, waits))))
  )
  const connections = trackConnections(server, false, settings.maxConnections)
  let address: string
  try {
    address = await listen(server, settings.listen)
  } catch (error) {
    await closeStore()
    throw error
  }
  return {
    address,
    announceEnd: () => connections.announceEnd(),
    async close() {
      connections.drain()
      const isDone = await Promise.race([connections.served(), delay(settings.drain, false, { ref: false })])
      connections.destroy()
      // A check that is not over may be claiming its request in the store.
      await connections.served()
      server.close()
      await closeStore()
      return isDone
    }
  }
}
