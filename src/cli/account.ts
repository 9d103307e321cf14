import { createAccountClient } from '../account/client.ts'
import { AccountError, type AccountErrorCode } from '../account/errors.ts'
import { inFlags } from '../explain/settings.ts'
import { escapeText } from '../explain/text.ts'
import { EXIT, type Io, readBytes, UsageError } from './command.ts'
import { type Command, requireFlags, text, type Values } from './flags.ts'

const OPTIONS = { 'auth-url': text, 'base-url': text } as const

/** `signed-requests account` */
export const account: Command<typeof OPTIONS> = { options: OPTIONS, run }

async function run(values: Values<typeof OPTIONS>, io: Io): Promise<number> {
  const { 'auth-url': authUrl = '', 'base-url': baseUrl = '' } = values
  requireFlags({ 'auth-url': authUrl, 'base-url': baseUrl })
  // Never from an argument: the list of processes shows those.
  const accessToken = (io.env['ACCESS_TOKEN'] || String(await readBytes('-', 'standard input', io))).trim()
  if (accessToken === '')
    throw new UsageError('there is no access token: set ACCESS_TOKEN, or give it on standard input')
  try {
    const client = createAccountClient({ authUrl, baseUrl, accessToken })
    io.print(escapeText((await client.identity()).accountId))
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof AccountError)) throw error
    const [fault, exit] = FAULTS[error.code]
    // The option of createAccountClient has no flag.
    const message = inFlags(error.message.replace(/ Give selectAccountId .*/, ''))
    io.note(`signed-requests: ${fault}: ${escapeText(message, 1000)}`)
    // The same call may succeed later.
    return error.retryable ? EXIT.unknown : exit
  }
}

const FAULTS: Readonly<Record<AccountErrorCode, readonly [fault: string, exit: number]>> = {
  'account-token-rejected': ['the token', EXIT.refused],
  'account-response': ['the URL', EXIT.usage],
  'account-identity': ['the URL', EXIT.usage],
  'account-server-error': ['the server', EXIT.unknown],
  'account-timeout': ['the network', EXIT.unknown],
  'account-network': ['the network', EXIT.unknown]
}
