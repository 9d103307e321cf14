import { parseArgs } from 'node:util'
import { createAccountClient } from '../account/client.ts'
import { AccountError, type AccountErrorCode } from '../account/errors.ts'
import { escapeText } from '../explain/text.ts'
import type { Command } from './command.ts'
import { HELP_OPTION, helpText, type OptionSpecs } from './help.ts'
import { type Io, readBytes } from './io.ts'
import { EXIT, UsageError } from './usage.ts'

const OPTIONS = {
  'auth-url': { type: 'string', value: 'URL', about: 'the authorization server, required' },
  'base-url': {
    type: 'string',
    value: 'URL',
    about: 'the REST API, version 4 or later, required, such as https://api.service.example/v4'
  },
  help: HELP_OPTION
} as const satisfies OptionSpecs

/** `signed-requests account` */
export const account: Command = {
  summary: 'print the account id that an access token belongs to',
  help: helpText({
    usage: 'account --auth-url URL --base-url URL',
    about:
      'Prints the account id that the service puts into X-Service-ID, and that createVerifier takes as accounts. The ' +
      'access token is taken from the environment variable ACCESS_TOKEN, or else from standard input, never from an ' +
      'argument, which other users of the machine could see.',
    options: OPTIONS,
    examples: [
      'npx signed-requests account --auth-url https://auth.service.example \\',
      '  --base-url https://api.service.example/v4 < token.txt'
    ],
    exits: [
      [0, 'the account id is printed'],
      [1, 'the token was refused'],
      [2, 'a server was not reached, or cannot answer now'],
      [64, 'a mistake on the command line, such as the URL of another service']
    ]
  }),
  run: runAccount
}

async function runAccount(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS })
  const authUrl = values['auth-url']
  const baseUrl = values['base-url']
  if (authUrl === undefined) throw new UsageError('--auth-url is missing: the authorization server')
  if (baseUrl === undefined) throw new UsageError('--base-url is missing: the REST API')
  const accessToken = await readAccessToken(io)
  try {
    const { accountId } = await createAccountClient({ authUrl, baseUrl, accessToken }).identity()
    io.print(escapeText(accountId))
    return EXIT.verified
  } catch (error) {
    if (!(error instanceof AccountError)) throw error
    const [fault, exit] = FAULTS[error.code]
    io.note(`signed-requests: ${fault}: ${escapeText(error.message, 1000)}`)
    return error.retryable ? EXIT.unavailable : exit
  }
}

/** What is at fault, and the exit code unless the same call may succeed later. */
const FAULTS: Readonly<Record<AccountErrorCode, readonly [fault: string, exit: number]>> = {
  'account-token-rejected': ['the token', EXIT.rejected],
  'account-server-error': ['the server', EXIT.unavailable],
  'account-timeout': ['the network', EXIT.unavailable],
  'account-network': ['the network', EXIT.unavailable],
  'account-response': ['the URL', EXIT.usage],
  'account-identity': ['the URL', EXIT.usage]
}

/** Never from an argument: the list of processes shows those. */
async function readAccessToken(io: Io): Promise<string> {
  const token = (io.env['ACCESS_TOKEN'] || (await readBytes('-', io)).toString('utf8')).trim()
  if (token === '') {
    throw new UsageError('there is no access token: set ACCESS_TOKEN, or give it on standard input')
  }
  return token
}
