import type { Flags } from '../../flags/flag.ts'
import type { Given, Parsed } from '../../flags/parse.ts'
import { UsageError } from '../../flags/usage-error.ts'
import { startAuthorizer } from './authorize.ts'
import type { Exchange, Malformed } from './exchange.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { createLineWriter, logText } from './log.ts'
import { type AuthorizerSettings, authorizerSettingsOf } from './options/authorize.ts'
import { AUTHORIZE_COMMAND, authorizeHelp, gatewayHelp, parseAuthorize, parseGateway } from './options/command-line.ts'
import { type CommonSettings, type GatewaySettings, settingsOf } from './options/settings.ts'
import { VERSION } from './page-files.ts'
import { isPublicSuffix } from './public-suffix.ts'
import { ANY_ACCOUNT } from './seen-accounts.ts'

const EXIT = { ok: 0, failed: 1, unavailable: 2, usage: 64 } as const

const ANYONE = 'warning: anyone can sign: the public registers names under --domain'

const print = createLineWriter(process.stdout)
const note = createLineWriter(process.stderr)

const fail = (mistake: string) => note(`signed-requests-gateway: ${mistake.trim().replace(/[^ -~]/g, ' ')}`)

type Running = Pick<Gateway, 'address' | 'close'>

/** The settings of the gateway or of `authorize`. */
type Settings = CommonSettings &
  Partial<Pick<GatewaySettings, 'tls' | 'observe'>> &
  Partial<Pick<AuthorizerSettings, 'from'>>

/** Starts the gateway or `authorize`, which runs until it is told to end. */
async function run<S extends Settings, R extends Running>(
  settings: S,
  isCheck: boolean | undefined,
  start: (settings: S, onOver: (exchange: Exchange | Malformed) => void) => Promise<R>,
  onStarted: (running: R, settings: S) => void
): Promise<void> {
  const isNeverHttps = cannotBeHttps(settings)
  if (isNeverHttps) {
    const end = settings.observe ? 'get the verdict rejected (not-https)' : 'be refused'
    note(`every request will ${end}, as none can count as HTTPS: say how with --https`)
  }
  if (isCheck) return check(settings.verifier.serviceDomain, !isNeverHttps)
  const stopped = new Promise<unknown>(resolve => {
    // The listeners stay: each process of a group may get the signal twice.
    process.on('SIGTERM', resolve).on('SIGINT', resolve)
  })
  const started = await start(settings, exchange => print(logText(exchange, settings.log)))
  onStarted(started, settings)
  await stopped
  process.exitCode = (await started.close()) ? EXIT.ok : EXIT.failed
  // A lookup that DNS never answers, or a log reader that has stalled, would keep the process.
  process.stdout.write('', () => process.exit())
  setTimeout(() => process.exit(), 500)
}

/** Returns whether no request can count as HTTPS. */
const cannotBeHttps = ({ tls, https, verifier, from }: Settings): boolean =>
  verifier.requireHttps !== false && from !== 'x-forwarded' && tls === undefined && https === undefined

/** Says whether the options are good, and starts nothing. */
async function check(serviceDomain: string, isGood: boolean): Promise<void> {
  if (await isPublicSuffix(serviceDomain)) note(`${ANYONE} ${serviceDomain}; write the domain of the service`)
  if (isGood) print('the options are good')
  else process.exitCode = EXIT.failed
}

function noteGateway({ address, admin }: Gateway, settings: GatewaySettings): void {
  const { observe, tls, upstream, refusalStatus, verifier } = settings
  if (observe) note('OBSERVING: every request is forwarded, NOTHING IS REFUSED')
  if (verifier.accounts === ANY_ACCOUNT)
    note('--account is not given: the log says which accounts signed requests come for')
  if (refusalStatus !== undefined) note(`refused requests get ${refusalStatus} instead of 401 or 413`)
  note(`listening on ${tls ? 'https' : 'http'}://${address} for ${upstream.origin}`)
  if (admin !== undefined) note(`admin page on http://${admin}/`)
}

/** Prints the help or the version instead of running; undefined unless one was asked for. */
function givenOf<F extends Flags>(parsed: Parsed<F>, help: () => string): Given<F> | undefined {
  if (parsed.asked === undefined) return parsed
  print(parsed.asked === 'help' ? help() : VERSION)
  return undefined
}

async function main([command, ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (command === AUTHORIZE_COMMAND) {
    const given = givenOf(parseAuthorize(args, env), authorizeHelp)
    if (given === undefined) return
    await run(authorizerSettingsOf(given), given.values.check, startAuthorizer, ({ address }) =>
      note(`answering checks on http://${address}`)
    )
  } else {
    const given = givenOf(parseGateway(command === undefined ? [] : [command, ...args], env), gatewayHelp)
    if (given === undefined) return
    await run(settingsOf(given), given.values.check, startGateway, noteGateway)
  }
}

try {
  await main(process.argv.slice(2), process.env)
} catch (error) {
  fail((error as Error).message)
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.unavailable
}
