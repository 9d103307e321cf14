import { createAccountClient } from '../account/client.ts'
import { AccountError } from '../account/errors.ts'
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
    io.note(`signed-requests: ${escapeText(error.message, 1000)}`)
    // The same call may succeed later.
    if (error.retryable) return EXIT.unknown
    if (error.code === 'account-token-rejected') return EXIT.refused
    return /response|identity/.test(error.code) ? EXIT.usage : EXIT.unknown
  }
}
