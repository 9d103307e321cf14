import { getServers } from 'node:dns/promises'
import { facts, factText } from '../explain/facts.ts'
import { escapeText, wrapExact, wrapWords } from '../explain/text.ts'
import { dnsTxtLookup } from '../key/dns.ts'
import { parseKey } from '../key/import.ts'
import { createLookup } from '../key/lookup.ts'
import { normalizeName } from '../key/name.ts'
import { joinChunks, type KeyRecord, looksLikeKeyRecord, parseKeyRecord } from '../key/record.ts'
import { isUnavailable } from '../verdict/codes.ts'
import type { Failed } from '../verdict/result.ts'
import { type Command, EXIT, type Io, UsageError } from './command.ts'
import { COMMON, parseFlags, SHARED } from './flags.ts'
import { helpText } from './help.ts'
import { printJson, printText } from './print.ts'

const OPTIONS = { 'dns-server': SHARED['dns-server'], json: COMMON.json, help: COMMON.help } as const

const TIMEOUT = 5000

const EXITS = { usable: EXIT.ok, unusable: EXIT.refused, unavailable: EXIT.unknown }

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
  run
}

async function run(args: string[], io: Io): Promise<number> {
  const { values, argument } = parseFlags('key', args, OPTIONS, io, { name: 'NAME', required: true })
  const name = normalizeName(argument!)
  if (name === undefined) throw new UsageError(`${argument} is not a DNS name`)
  const servers = values['dns-server']
  const answer = await createLookup(dnsTxtLookup(servers && { servers }), TIMEOUT)(name)
  const report = {
    name,
    servers: servers ?? getServers(),
    ...(answer.ok ? reportOn(answer.value.map(joinChunks)) : reportFailure(answer))
  }
  if (values.json) printJson(report, io)
  else printText(reportText(report), io)
  return EXITS[report.status]
}

/** What is published, from the TXT records at the name, chunks joined: plain data, for `--json` and for a person. */
function reportOn(texts: readonly string[]): Found {
  const records = texts.map(reportRecord)
  const status = records.some(record => record.status === 'usable') ? 'usable' : 'unusable'
  const noKey = records.every(record => record.status === 'unrelated')
  return { status, ...(noKey && { problem: 'no key record among the TXT records' }), records }
}

interface Found {
  status: keyof typeof EXITS
  /** why there are no records at all */
  problem?: string
  records: readonly ReturnType<typeof reportRecord>[]
}

const reportFailure = (failed: Failed): Found => ({
  status: isUnavailable(failed.code) ? 'unavailable' : 'unusable',
  problem: problemOf(failed),
  records: []
})

function reportRecord(
  text: string
): { status: string; text: string; problem?: string } & Partial<RecordFacts> {
  if (!looksLikeKeyRecord(text)) return { status: 'unrelated', text }
  const key = parseKey(text)
  if (key.ok) return { status: 'usable', bits: key.value.key.bits, ...factsOf(key.value.record) }
  const record = parseKeyRecord(text)
  return { status: 'unusable', problem: problemOf(key), text, ...(record.ok && factsOf(record.value)) }
}

type RecordFacts = Pick<KeyRecord, 'type' | 'flags' | 'text'> & { bits: number; hashes: KeyRecord['hashes'] }

/** Without `hashes` any hash is allowed. */
const factsOf = ({ type, hashes, flags, text }: KeyRecord) => ({
  type,
  ...(hashes && { hashes }),
  flags,
  text
})

function problemOf({ code, message, evidence }: Failed): string {
  const { name: _, record: __, servers: ___, ...rest } = { ...evidence } as Record<string, string>
  return [`${code}: ${message}`, ...facts(rest).map(factText)].join('; ')
}

/** The report for a person: printable ASCII in 80 columns. */
function reportText({
  name,
  servers,
  status,
  problem,
  records
}: Found & { name: string; servers: string[] }): string {
  const lines = [`${status}: ${name}`, wrapWords('  asked: ', `DNS server ${escapeText(servers.join(', '))}`)]
  if (problem !== undefined) lines.push(wrapWords('  problem: ', problem))
  records.forEach((record, i) => {
    lines.push('', `record ${i + 1}: ${record.status === 'unrelated' ? 'not a key record' : record.status}`)
    if (record.problem !== undefined) lines.push(wrapWords('  problem: ', record.problem))
    if (record.type !== undefined) {
      lines.push(`  type: ${record.type}${record.bits === undefined ? '' : `, ${record.bits} bits`}`)
      lines.push(wrapWords('  hashes: ', escapeText(record.hashes?.join(', ') ?? 'any')))
      lines.push(wrapWords('  flags: ', escapeText(record.flags?.join(', ') || 'none')))
    }
    lines.push(wrapExact('  text: ', escapeText(record.text, 2000)))
  })
  return lines.join('\n')
}
