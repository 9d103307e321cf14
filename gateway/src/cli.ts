#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { startAuthorizer } from './authorize.ts'
import { startGateway } from './gateway.ts'
import { createLineWriter, logText } from './log.ts'
import {
  addAuthorizeOptions,
  addGatewayOptions,
  authorizerSettingsOf,
  settingsOf,
  UsageError
} from './options.ts'

const EXIT = { ok: 0, cutOff: 1, unavailable: 2, usage: 64 } as const

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
  1   ended, but --drain was over before every request was
  2   an address is in use, or the replay store cannot be reached
  64  a mistake in the options`

const print = createLineWriter(process.stdout)
const note = createLineWriter(process.stderr)

/** Runs until it is told to end. Resolves to the exit code. */
async function run(command: Command): Promise<number> {
  const settings = settingsOf(command, process.env)
  const { tls, https, verifier, observe, upstream, log } = settings
  if (tls === undefined && https === undefined && verifier.requireHttps !== false) {
    note(
      'every request will be refused, as none can count as HTTPS: give --tls-key and --tls-cert, or --https'
    )
  }
  if (command.opts()['check'] === true) {
    print('the options are good')
    return EXIT.ok
  }
  const stopped = whenStopped()
  if (observe) note('OBSERVING: every request is forwarded, NOTHING IS REFUSED')
  const gateway = await startGateway(settings, exchange => print(logText(exchange, log)))
  note(`listening on ${tls ? 'https' : 'http'}://${gateway.address} for ${upstream.origin}`)
  if (gateway.admin !== undefined) note(`admin page on http://${gateway.admin}/`)
  await stopped
  return (await gateway.close()) ? EXIT.ok : EXIT.cutOff
}

/** `authorize`, in the same way. */
async function runAuthorizer(command: Command): Promise<number> {
  const settings = authorizerSettingsOf(command, process.env)
  const { from, https, verifier, log } = settings
  if (from === 'as-is' && https === undefined && verifier.requireHttps !== false) {
    note('every request will be refused, as none can count as HTTPS: give --https')
  }
  if (command.opts()['check'] === true) {
    print('the options are good')
    return EXIT.ok
  }
  const stopped = whenStopped()
  const authorizer = await startAuthorizer(settings, exchange => print(logText(exchange, log)))
  note(`answering checks on http://${authorizer.address}`)
  await stopped
  return (await authorizer.close()) ? EXIT.ok : EXIT.cutOff
}

/** Listens until the end: each process of a group may get the signal twice. */
const whenStopped = (): Promise<void> =>
  new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
  })

function createProgram(): Command {
  const program = new Command('signed-requests-gateway')
    .description(ABOUT)
    .usage('--upstream URL [options]')
    .addHelpText('after', AFTER)
    .exitOverride()
    // Without the variables, which the text explains once for all.
    .configureHelp({ optionDescription: ({ description }) => description })
    .configureOutput({
      outputError: text => note(`signed-requests-gateway: ${text.replace(/^error: /, '').trim()}`)
    })
    .enablePositionalOptions()
    .action(async () => {
      process.exitCode = await run(program)
    })
  const authorize = program
    .command('authorize')
    .summary('answer a proxy that asks before it forwards')
    .description(ABOUT_AUTHORIZE)
    .usage('--from as-is|x-forwarded [options]')
    .action(async () => {
      process.exitCode = await runAuthorizer(authorize)
    })
  addAuthorizeOptions(authorize)
  return addGatewayOptions(program)
}

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
  else {
    note(`signed-requests-gateway: ${(error as Error).message}`)
    process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.unavailable
  }
}
