import { Command, CommanderError } from 'commander'
import { startAuthorizer } from './authorize.ts'
import type { Exchange, Malformed } from './exchange.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { createLineWriter, logText } from './log.ts'
import { authorizerSettingsOf } from './options/authorize.ts'
import { addFlags } from './options/command.ts'
import { AUTHORIZE, GATEWAY } from './options/flags.ts'
import { type CommonSettings, type GatewaySettings, settingsOf } from './options/settings.ts'
import { VERSION } from './page-files.ts'
import { isPublicSuffix } from './public-suffix.ts'
import { ANY_ACCOUNT } from './seen-accounts.ts'

const EXIT = { ok: 0, failed: 1, unavailable: 2, usage: 64 } as const

const ABOUT =
  'A reverse proxy that verifies each request and forwards those that are verified, with the account in ' +
  'Signed-Request-Account. Every option may also be an environment variable, such as SIGNED_REQUESTS_MAX_BODY for ' +
  '--max-body (several values separated by commas). URLs with passwords, and SIGNED_REQUESTS_ADMIN_TOKEN, which ' +
  '--admin needs on an address that is not loopback, are taken from the environment only.'

const ABOUT_AUTHORIZE =
  'Answers a proxy that asks before it forwards (Envoy, nginx with Lua or njs, Traefik, APISIX): 200 for a verified ' +
  'request, with the account in Signed-Request-Account, and else 401, 413 or 503.'

const AFTER = `
Example:
  npx signed-requests-gateway --upstream http://127.0.0.1:9000 \\
    --domain service.example --host hooks.example.com --account 1234 \\
    --https x-forwarded-proto

Exit codes:
  0   ended by SIGTERM or SIGINT; with --check, the options are good
  1   ended, but --drain was over before every request was; with --check, every
      request would be refused
  2   an address is in use, or the replay store cannot be reached
  64  a mistake in the options`

const ANYONE = 'warning: anyone can sign: the public registers names under --domain'

/** How messages of commander begin. */
const ERROR = 'error: '

const print = createLineWriter(process.stdout)
const note = createLineWriter(process.stderr)

const fail = (mistake: string) => note(`signed-requests-gateway: ${mistake.trim().replace(/[^ -~]/g, ' ')}`)

type Running = Pick<Gateway, 'address' | 'close'>

/** What a command does: it starts, and runs until it is told to end. */
function running<S extends CommonSettings & Partial<GatewaySettings>, R extends Running>(
  settingsOf: (command: Command, env: NodeJS.ProcessEnv) => S,
  start: (settings: S, onOver: (exchange: Exchange | Malformed) => void) => Promise<R>,
  onStarted: (running: R, settings: S) => void
) {
  return async (_values: unknown, command: Command): Promise<void> => {
    const settings = settingsOf(command, process.env)
    const { tls, https, verifier, observe } = settings
    const needsHttps = verifier.requireHttps !== false && command.getOptionValue('from') !== 'x-forwarded'
    const isNeverHttps = needsHttps && tls === undefined && https === undefined
    if (isNeverHttps) {
      const end = observe ? 'get the verdict rejected (not-https)' : 'be refused'
      note(`every request will ${end}, as none can count as HTTPS: say how with --https`)
    }
    if (command.getOptionValue('check') === true) {
      const { serviceDomain } = verifier
      if (await isPublicSuffix(serviceDomain)) note(`${ANYONE} ${serviceDomain}; write the domain of the service`)
      if (!isNeverHttps) return print('the options are good')
      process.exitCode = EXIT.failed
      return
    }
    const stopped = new Promise<unknown>(resolve => {
      // Again and again: each process of a group may get the signal twice.
      process.on('SIGTERM', resolve).on('SIGINT', resolve)
    })
    const started = await start(settings, exchange => print(logText(exchange, settings.log)))
    onStarted(started, settings)
    await stopped
    process.exitCode = (await started.close()) ? EXIT.ok : EXIT.failed
    // A lookup that DNS never answers, or a reader of the log that has stalled, would keep the process.
    process.stdout.write('', () => process.exit())
    setTimeout(() => process.exit(), 500)
  }
}

const runGateway = running(settingsOf, startGateway, ({ address, admin }, settings) => {
  const { observe, tls, upstream, refusalStatus, verifier } = settings
  if (observe) note('OBSERVING: every request is forwarded, NOTHING IS REFUSED')
  if (verifier.accounts === ANY_ACCOUNT)
    note('--account is not given: the log says which accounts signed requests come for')
  if (refusalStatus !== undefined) note(`what is refused gets ${refusalStatus} instead of 401 or 413`)
  note(`listening on ${tls ? 'https' : 'http'}://${address} for ${upstream.origin}`)
  if (admin !== undefined) note(`admin page on http://${admin}/`)
})

const runAuthorizer = running(authorizerSettingsOf, startAuthorizer, ({ address }) =>
  note(`answering checks on http://${address}`)
)

const program = new Command('signed-requests-gateway')
  .description(ABOUT)
  .usage('--upstream URL [options]')
  .version(VERSION, '--version', 'print the version')
  .addHelpText('after', AFTER)
  .exitOverride()
  // The variables are left out, because the text explains them once for all.
  .configureHelp({ optionDescription: ({ description }) => description })
  .configureOutput({ outputError: text => fail(text.startsWith(ERROR) ? text.slice(ERROR.length) : text) })
  .enablePositionalOptions()
const authorize = program
  .command('authorize')
  .summary('answer a proxy that asks before it forwards')
  .description(ABOUT_AUTHORIZE)
  .usage('--from as-is|x-forwarded [options]')
  .version(VERSION, '--version', 'print the version')
  .action(runAuthorizer)
addFlags(authorize, AUTHORIZE)
addFlags(program, GATEWAY).action(runGateway)
try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
  else {
    fail((error as Error).message)
    process.exitCode = EXIT.unavailable
  }
}
