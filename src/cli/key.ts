import { getServers } from 'node:dns/promises'
import { facts, factText } from '../explain/facts.ts'
import { asciiJson, escapeText, wrapExact, wrapWords } from '../explain/text.ts'
import { normalizeName } from '../http/host-name.ts'
import { dnsTxtLookup, type Failed, importPublicKey, parseKeyRecord } from '../index.ts'
import { createLookup } from '../key/lookup.ts'
import { joinChunks, looksLikeKeyRecord } from '../key/record.ts'
import { isUnavailable } from '../verdict/codes.ts'
import { EXIT, type Io, UsageError } from './command.ts'
import { type Command, flag, SHARED, type Values } from './flags.ts'

const OPTIONS = { 'dns-server': SHARED['dns-server'], json: flag } as const

const TIMEOUT = 5000

/** `signed-requests key` */
export const key: Command<typeof OPTIONS> = { argument: 'NAME', options: OPTIONS, run }

async function run(values: Values<typeof OPTIONS>, io: Io, argument: string): Promise<number> {
  const name = normalizeName(argument)
  if (name === undefined) throw new UsageError(`${argument} is not a DNS name`)
  const { 'dns-server': servers, json } = values
  const reply = await createLookup(dnsTxtLookup(servers && { servers }), TIMEOUT)(name)
  const records = reply.ok ? reply.value.map(strings => reportOn(joinChunks(strings))) : []
  const isUsable = records.some(record => record.status === 'usable')
  const status = isUsable ? 'usable' : !reply.ok && isUnavailable(reply.code) ? 'unavailable' : 'unusable'
  const isUnrelated = records.every(record => record.status === 'unrelated')
  const none = isUnrelated ? 'no key record among the TXT records' : undefined
  const problem = reply.ok ? none : describeFailure(reply)
  const asked = servers ?? getServers()
  const lines = [
    `${status}: ${name}`,
    ...linesOf({ asked: `DNS server ${asked.join(', ')}`, problem }),
    ...records.flatMap(({ status, text, ...about }, i) => [
      `\nrecord ${i + 1}: ${status === 'unrelated' ? 'not a key record' : status}`,
      ...linesOf(about),
      wrapExact('  text: ', escapeText(text, 2000))
    ])
  ]
  io.print(json ? asciiJson({ name, servers: asked, status, problem, records }) : lines.join('\n'))
  return { usable: EXIT.ok, unusable: EXIT.refused, unavailable: EXIT.unknown }[status]
}

/** What one TXT record publishes, its chunks joined. Without `hashes` any hash is allowed. */
function reportOn(text: string) {
  if (!looksLikeKeyRecord(text)) return { status: 'unrelated', text }
  const record = parseKeyRecord(text)
  const key = record.ok ? importPublicKey(record.value) : record
  const found = key.ok ? { bits: key.value.bits } : { problem: describeFailure(key) }
  const { type, flags, hashes } = record.ok ? record.value : {}
  return { status: key.ok ? 'usable' : 'unusable', ...found, type, flags, hashes, text }
}

function describeFailure({ code, message, evidence }: Failed): string {
  const { name: _, record: __, servers: ___, ...rest } = { ...evidence } as Record<string, string>
  return [`${code}: ${message}`, ...facts(rest).map(factText)].join('; ')
}

/** For a person: what is there, as printable ASCII in 80 columns. */
const linesOf = (about: object): string[] =>
  Object.entries(about)
    .filter(([, value]) => String(value ?? '') !== '')
    .map(([name, value]) => wrapWords(`  ${name}: `, escapeText([value].flat().join(', '), 1000)))
