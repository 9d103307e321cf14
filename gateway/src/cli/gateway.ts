import { parseArgs } from 'node:util'
import type { Command } from '../../../src/cli/command.ts'
import { helpText } from '../../../src/cli/help.ts'
import type { Io } from '../../../src/cli/io.ts'
import { GATEWAY_OPTIONS } from './flags.ts'

/** `signed-requests gateway` */
export const gateway: Command = {
  summary: 'let only verified requests through to a server',
  help: helpText({
    usage: 'gateway --upstream URL [options]',
    about:
      'A reverse proxy that verifies each request and forwards those that are verified, with the account in ' +
      'Signed-Request-Account. Every option may also be an environment variable, such as SIGNED_REQUESTS_MAX_BODY ' +
      'for --max-body (several values separated by commas), or be in the file of --config. URLs with passwords, and ' +
      'SIGNED_REQUESTS_ADMIN_TOKEN, which --admin needs on an address that is not loopback, are taken from those only.',
    options: GATEWAY_OPTIONS,
    examples: [
      'npx signed-requests gateway --upstream http://127.0.0.1:9000 \\',
      '  --domain service.example --host hooks.example.com --account 1234 \\',
      '  --https x-forwarded-proto',
      'npx signed-requests gateway --config gateway.json --check'
    ],
    exits: [
      [0, 'ended by SIGTERM or SIGINT; with --check, the options are good'],
      [1, 'ended, but --drain was over before every request was'],
      [2, 'an address is in use, or the replay store cannot be reached'],
      [64, 'a mistake in the options']
    ]
  }),
  run
}

async function run(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options: GATEWAY_OPTIONS })
  // Loaded here, so that the other commands start as fast as without it.
  const { runGateway } = await import('./run.ts')
  return runGateway(values, io)
}
