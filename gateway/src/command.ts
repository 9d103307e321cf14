import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../../flags/usage-error.ts'
import { startAuthorizer } from './authorize.ts'
import type { Exchange, Malformed } from './exchange.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { type AuthorizerSettings, authorizerSettingsOf } from './options/authorize.ts'
import { AUTHORIZE_COMMAND, authorizeHelp, gatewayHelp, parseAuthorize, parseGateway } from './options/command-line.ts'
import { type CommonSettings, type GatewaySettings, settingsOf } from './options/settings.ts'
import { VERSION } from './page-files.ts'
import { isPublicSuffix } from './public-suffix.ts'
import { connectReplayStore } from './replay-store.ts'
import { createRequestLog } from './request-log.ts'
import { ANY_ACCOUNT } from './seen-accounts.ts'

const EXIT = { ok: 0, failed: 1, unavailable: 2, usage: 64 } as const

const ANYONE = 'warning: anyone can sign, because --domain is a public suffix:'

/** Describes the environment of the command: a process, or a test. */
export interface Surroundings {
  print: (line: string) => void
  note: (line: string) => void
  env: NodeJS.ProcessEnv
  /** resolves at the next signal that ends the command */
  stopped: () => Promise<NodeJS.Signals | undefined>
}

type Running = Pick<Gateway, 'address' | 'announceEnd' | 'close'>

/** The settings of the gateway or of `authorize`. */
type Settings = CommonSettings &
  Partial<Pick<GatewaySettings, 'tls' | 'observe'>> &
  Partial<Pick<AuthorizerSettings, 'from'>>

/** Runs the gateway or `authorize`. Resolves to the exit code; each mistake is a line. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await runCommand(args, surroundings)
  } catch (error) {
    const lines = error instanceof UsageError ? error.lines : [(error as Error).message]
    for (const line of lines) surroundings.note(`signed-requests-gateway: ${line.trim().replace(/[^ -~]/g, ' ')}`)
    return error instanceof UsageError ? EXIT.usage : EXIT.unavailable
  }
}

async function runCommand([command, ...args]: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, print, note } = surroundings
  if (command === AUTHORIZE_COMMAND) {
    const parsed = parseAuthorize(args, env)
    if (parsed.asked !== undefined) return answer(parsed.asked, authorizeHelp, print)
    return runUntilStopped(
      authorizerSettingsOf(parsed),
      parsed.values.check,
      startAuthorizer,
      ({ address }) => note(`answering checks on http://${address}`),
      surroundings
    )
  }
  const parsed = parseGateway(command === undefined ? [] : [command, ...args], env)
  if (parsed.asked !== undefined) return answer(parsed.asked, gatewayHelp, print)
  return runUntilStopped(
    settingsOf(parsed),
    parsed.values.check,
    startGateway,
    (gateway, settings) => noteGateway(gateway, settings, note),
    surroundings
  )
}

/** Prints the help or the version. */
function answer(asked: 'help' | 'version', help: () => string, print: Surroundings['print']): number {
  print(asked === 'help' ? help() : VERSION)
  return EXIT.ok
}

/** Starts the gateway or `authorize`, which runs until a signal ends it. */
async function runUntilStopped<S extends Settings, R extends Running>(
  settings: S,
  isCheck: boolean | undefined,
  start: (settings: S, onOver: (exchange: Exchange | Malformed) => void, note: Surroundings['note']) => Promise<R>,
  onStarted: (running: R, settings: S) => void,
  surroundings: Surroundings
): Promise<number> {
  const { print, note, stopped } = surroundings
  const isNeverHttps = cannotBeHttps(settings)
  if (isNeverHttps) {
    const end = settings.observe ? 'get the verdict rejected (not-https)' : 'be refused'
    note(`every request will ${end}, because none counts as HTTPS: set --https`)
  }
  if (isCheck) return check(settings, isNeverHttps, surroundings)
  const told = stopped()
  const started = await start(settings, createRequestLog(settings.log, print), note)
  onStarted(started, settings)
  // A person at a terminal need not wait.
  if ((await told) === 'SIGTERM' && settings.drainDelay > 0) {
    started.announceEnd()
    await Promise.race([delay(settings.drainDelay), stopped()])
  }
  return (await started.close()) ? EXIT.ok : EXIT.failed
}

/**
 * Checks the options and the replay store, and prints what it finds.
 *
 * @throws (rejects) when the replay store cannot be reached
 */
async function check(settings: Settings, isNeverHttps: boolean, { print, note }: Surroundings): Promise<number> {
  const { verifier, replay, observe } = settings
  const { serviceDomain } = verifier
  if (await isPublicSuffix(serviceDomain)) note(`${ANYONE} ${serviceDomain}; write the domain of the service`)
  const { findings, close } = await connectReplayStore(observe ? { kind: 'none' } : replay)
  await close()
  for (const finding of findings) note(`warning: ${finding}`)
  if (isNeverHttps) return EXIT.failed
  print('the options are good')
  return EXIT.ok
}

/** Returns whether no request can count as HTTPS. */
const cannotBeHttps = ({ tls, https, verifier, from }: Settings): boolean =>
  verifier.requireHttps !== false && from !== 'x-forwarded' && tls === undefined && https === undefined

function noteGateway({ address, admin }: Gateway, settings: GatewaySettings, note: Surroundings['note']): void {
  const { observe, tls, upstream, refusalStatus, verifier } = settings
  if (observe) note('OBSERVING: every request is forwarded, NOTHING IS REFUSED')
  if (verifier.accounts === ANY_ACCOUNT) note('--account is not set: the log names the accounts of signed requests')
  if (refusalStatus !== undefined) note(`refused requests get ${refusalStatus} instead of 401 or 413`)
  note(`listening on ${tls ? 'https' : 'http'}://${address} for ${upstream.origin}`)
  if (admin !== undefined) note(`admin page on http://${admin}/`)
}
