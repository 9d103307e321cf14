import { createAccountClient } from '../account/client.ts'
import { AccountError, type AccountErrorCode } from '../account/errors.ts'
import { escapeText } from '../explain/text.ts'
import { EXIT, type Io, readBytes, UsageError } from './command.ts'
import { type Command, option, requireFlags, type Values } from './flags.ts'

const OPTIONS = {
  'auth-url': option.text('URL', 'the authorization server, required'),
  'base-url': option.text(
    'URL',
    'the REST API, version 4 or later, required, such as https://api.service.example/v4'
  )
} as const

/** `signed-requests account` */
export const account: Command<typeof OPTIONS> = {
  summary: 'print the account id that an access token belongs to',
  usage: '--auth-url URL --base-url URL',
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
    'the account id is printed',
    'the token was refused',
    'a server was not reached, or cannot answer now',
    'a mistake on the command line, such as the URL of another service'
  ],
  run
}

async function run(values: Values<typeof OPTIONS>, io: Io): Promise<number> {
  const { 'auth-url': authUrl = '', 'base-url': baseUrl = '' } = values
  requireFlags({ 'auth-url': authUrl, 'base-url': baseUrl }, OPTIONS)
  // Never from an argument: the list of processes shows those.
  const given = io.env['ACCESS_TOKEN'] || (await readBytes('-', 'standard input', io)).toString('utf8')
  const accessToken = given.trim()
  if (accessToken === '')
    throw new UsageError('there is no access token: set ACCESS_TOKEN, or give it on standard input')
  try {
    const client = createAccountClient({ authUrl, baseUrl, accessToken })
    io.print(escapeText((await client.identity()).accountId))
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof AccountError)) throw error
    const [fault, exit] = FAULTS[error.code] ?? ['the URL', EXIT.usage]
    io.note(`signed-requests: ${fault}: ${escapeText(error.message, 1000)}`)
    return error.retryable ? EXIT.unknown : exit
  }
}

/** What is at fault, and the exit code unless the same call may succeed later; any other is the URL's. */
const FAULTS: Readonly<Partial<Record<AccountErrorCode, readonly [fault: string, exit: number]>>> = {
  'account-token-rejected': ['the token', EXIT.refused],
  'account-server-error': ['the server', EXIT.unknown],
  'account-timeout': ['the network', EXIT.unknown],
  'account-network': ['the network', EXIT.unknown]
}
