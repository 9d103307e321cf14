import { parseArgs } from 'node:util'
import { dnsTxtLookup } from '../key/dns.ts'
import { createLookup } from '../key/lookup.ts'
import { normalizeName } from '../key/name.ts'
import { joinChunks } from '../key/record.ts'
import type { Command } from './command.ts'
import { DNS_SERVER, JSON_OUTPUT } from './common-options.ts'
import { HELP_OPTION, helpText, type OptionSpecs } from './help.ts'
import { type Io, printJson } from './io.ts'
import { keyReportText, reportFailure, reportOn } from './key-report.ts'
import { printText } from './paint.ts'
import { EXIT, UsageError } from './usage.ts'

const OPTIONS = {
  'dns-server': DNS_SERVER,
  json: JSON_OUTPUT,
  help: HELP_OPTION
} as const satisfies OptionSpecs

const TIMEOUT = 5000

const EXIT_CODES = { usable: EXIT.verified, unusable: EXIT.rejected, unavailable: EXIT.unavailable }

/** `signed-requests key` */
export const key: Command = {
  summary: 'look up a key record and describe it',
  help: helpText({
    usage: 'key NAME [options]',
    about:
      'Asks DNS for the TXT records at NAME (a keyId, such as one._domainkey.service.example) and describes the key ' +
      'records among them.',
    options: OPTIONS,
    examples: [
      'npx signed-requests key one._domainkey.service.example',
      'npx signed-requests key one._domainkey.service.example --dns-server 8.8.8.8'
    ],
    exits: [
      [0, 'there is a key that can be used'],
      [1, 'there is not'],
      [2, 'DNS did not answer'],
      [64, 'a mistake on the command line']
    ]
  }),
  run: runKey
}

async function runKey(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const [given, ...others] = positionals
  if (given === undefined || others.length > 0) throw new UsageError('key takes one NAME')
  const name = normalizeName(given)
  if (name === undefined) throw new UsageError(`${given} is not a DNS name`)

  const servers = values['dns-server']
  const answer = await createLookup(dnsTxtLookup(servers && { servers }), TIMEOUT)(name)
  const report = answer.ok ? reportOn(name, answer.value.map(joinChunks)) : reportFailure(name, answer)
  if (values.json) printJson(report, io)
  else printText(keyReportText(report), io)
  return EXIT_CODES[report.status]
}
