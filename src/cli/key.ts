import { parseArgs } from 'node:util'
import { dnsTxtLookup } from '../key/dns.ts'
import { normalizeName } from '../key/name.ts'
import { joinChunks } from '../key/record.ts'
import { createLookup } from '../key/shared-lookup.ts'
import type { Io } from './io.ts'
import { keyReportText, reportFailure, reportOn } from './key-report.ts'
import { printText } from './paint.ts'
import { EXIT, UsageError } from './usage.ts'

const HELP = `Usage: signed-requests key NAME [options]

Asks DNS for the TXT records at NAME (a keyId, such as
one._domainkey.service.example) and describes the key records among them.

  --dns-server IP     ask this server (127.0.0.1:5353); may be repeated
  --json              print the description as JSON

Exit codes: 0 a key that can be used, 1 none, 2 no answer from DNS, 64 usage.`

const OPTIONS = {
  'dns-server': { type: 'string', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' }
} as const

const TIMEOUT = 5000

const EXIT_CODES = { usable: EXIT.verified, unusable: EXIT.rejected, unavailable: EXIT.unavailable }

/** `signed-requests key` */
export async function keyCommand(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  if (values.help) {
    io.print(HELP)
    return 0
  }
  const [given, ...others] = positionals
  if (given === undefined || others.length > 0) throw new UsageError('key takes one NAME')
  const name = normalizeName(given)
  if (name === undefined) throw new UsageError(`${given} is not a DNS name`)

  const servers = values['dns-server']
  const answer = await createLookup(dnsTxtLookup(servers && { servers }), TIMEOUT)(name)
  const report = answer.ok ? reportOn(name, answer.value.map(joinChunks)) : reportFailure(name, answer)
  if (values.json) io.print(JSON.stringify(report, null, 2))
  else printText(keyReportText(report), io)
  return EXIT_CODES[report.status]
}
