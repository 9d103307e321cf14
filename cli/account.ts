import type { Values } from '../flags/flag.ts'
import { inFlags, UNSHARED } from '../flags/table.ts'
import { UsageError } from '../flags/usage-error.ts'
import { AccountError, type AccountErrorCode, createAccountClient } from '../src/account/index.ts'
import { escapeText, messageIn, ownProperty } from '../src/internal/index.ts'
import { EXIT, type Io, readBytes } from './command.ts'
import type { Command } from './flags.ts'

const FLAGS = {
  authUrl: { ...UNSHARED.authUrl, isRequired: true },
  baseUrl: { ...UNSHARED.baseUrl, isRequired: true },
  selectAccountId: UNSHARED.selectAccountId
} as const

/** The environment variable of the access token. */
const TOKEN = 'ACCESS_TOKEN'

/** The command `signed-requests account`. */
export const account: Command<typeof FLAGS> = {
  about: [
    'Prints your account id, as the option accounts takes it. Reads the access token from the environment ' +
      `variable ${TOKEN}, or else from standard input; other users of the machine could see an argument.`
  ],
  flags: FLAGS,
  secret: { flags: ['token', 'access-token'], variable: TOKEN },
  examples: [
    'npx signed-requests account --auth-url https://auth.service.example \\\n' +
      '--base-url https://api.service.example/v4 < token.txt',
    'npx signed-requests account --auth-url https://auth.service.example \\\n' +
      '--base-url https://api.service.example/v4 --field user.number < token.txt'
  ],
  exits: {
    0: 'the account id is printed',
    1: 'the token was refused',
    2: 'a server cannot be reached or cannot answer now, or its answer has no account id',
    64: 'usage error, such as the URL of another service'
  },
  run
}

async function run({ authUrl, baseUrl, selectAccountId: path }: Values<typeof FLAGS>, io: Io): Promise<number> {
  // The token never comes from an argument: the list of processes shows those.
  const accessToken = (io.env[TOKEN] || String(await readBytes('-', 'standard input', io))).trim()
  if (accessToken === '') throw new UsageError(`there is no access token: set ${TOKEN}, or give it on standard input`)
  try {
    const selectAccountId = path === undefined ? undefined : (raw: unknown) => valueAt(path, raw) as string
    const client = createAccountClient({ authUrl, baseUrl, accessToken, ...(selectAccountId && { selectAccountId }) })
    io.print(escapeText((await client.identity()).accountId))
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof AccountError)) throw error
    // A server that answers "not now" says nothing about the token or the URL.
    const isLater = error.retryable && error.status !== undefined
    const [fault, exit] = FAULTS[isLater ? 'account-server-error' : error.code]
    io.note(`signed-requests: ${fault}: ${escapeText(messageIn(error, inFlags), 1000)}`)
    return exit
  }
}

/**
 * Returns the value of a field, such as `data.ID`, or `accounts.0.ID` in an array. The client checks that it is an id.
 */
const valueAt = (path: string, raw: unknown): unknown =>
  path.split('.').reduce<unknown>((holder, name) => ownProperty(holder, name), raw)

const FAULTS: Readonly<Record<AccountErrorCode, readonly [fault: string, exit: number]>> = {
  'account-token-rejected': ['the token', EXIT.refused],
  'account-response': ['the URL', EXIT.usage],
  'account-identity': ['the answer', EXIT.unknown],
  'account-server-error': ['the server', EXIT.unknown],
  'account-timeout': ['the network', EXIT.unknown],
  'account-network': ['the network', EXIT.unknown]
}
