import { unknownCommand } from '../../../flags/commands.ts'
import { type HelpPage, helpText } from '../../../flags/help.ts'
import { type Parsed, parseFlags } from '../../../flags/parse.ts'
import type { Env } from '../../../flags/variables.ts'
import { nearest } from '../../../src/internal/index.ts'
import { AUTHORIZE, GATEWAY } from './flags.ts'

const PROGRAM = 'signed-requests-gateway'

/** Names the one command besides the gateway itself. */
export const AUTHORIZE_COMMAND = 'authorize'

/** Parses the command line of the gateway. @throws UsageError */
export function parseGateway(args: readonly string[], env: Env): Parsed<typeof GATEWAY> {
  const [word = ''] = args
  if (nearest(word, [AUTHORIZE_COMMAND]) !== undefined) throw unknownCommand(word, [AUTHORIZE_COMMAND])
  return parseFlags(args, env, { name: PROGRAM, flags: GATEWAY, variables: 'all', others: {} })
}

/**
 * Parses the command line of `authorize`, without its own name. The variables of the gateway are allowed: it may run
 * beside it.
 */
export const parseAuthorize = (args: readonly string[], env: Env): Parsed<typeof AUTHORIZE> =>
  parseFlags(args, env, { name: AUTHORIZE_COMMAND, flags: AUTHORIZE, variables: 'all', others: GATEWAY })

/** The exit codes that both have. */
const EXITS = {
  0: 'ended by SIGTERM or SIGINT; with --check, no errors',
  1: 'requests were still running after --drain; with --check, every request would be refused',
  2: 'an address is in use, or the replay store cannot be reached',
  64: 'usage error'
}

export const GATEWAY_HELP: HelpPage = {
  command: PROGRAM,
  about: [
    'A reverse proxy that forwards verified requests, with the account in Signed-Request-Account. URLs with ' +
      'passwords and SIGNED_REQUESTS_ADMIN_TOKEN, which --admin needs on an address that is not loopback, are read ' +
      'from the environment only.'
  ],
  commands: [[AUTHORIZE_COMMAND, 'answer a proxy that asks before it forwards']],
  flags: Object.values(GATEWAY),
  variables: 'all',
  hasVersion: true,
  examples: [
    `npx ${PROGRAM} --upstream http://127.0.0.1:9000 \\\n` +
      '--domain service.example --host hooks.example.com --account 1234 \\\n--https x-forwarded-proto'
  ],
  exits: EXITS
}

export const AUTHORIZE_HELP: HelpPage = {
  command: `${PROGRAM} ${AUTHORIZE_COMMAND}`,
  about: [
    'Answers a proxy that asks before it forwards (Envoy, nginx with Lua or njs, Traefik, APISIX): 200 with the ' +
      'account in Signed-Request-Account for a verified request, else 401, 413 or 503.'
  ],
  flags: Object.values(AUTHORIZE),
  variables: 'all',
  hasVersion: true,
  examples: [
    `npx ${PROGRAM} ${AUTHORIZE_COMMAND} --from as-is \\\n` +
      '--domain service.example --host hooks.example.com --account 1234 \\\n--https x-forwarded-proto'
  ],
  exits: EXITS
}

export const gatewayHelp = (): string => helpText(GATEWAY_HELP)

export const authorizeHelp = (): string => helpText(AUTHORIZE_HELP)
