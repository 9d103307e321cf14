import { getServers } from 'node:dns/promises'
import { facts, factText } from '../explain/facts.ts'
import { asciiJson, escapeText, wrapExact, wrapWords } from '../explain/text.ts'
import { dnsTxtLookup, type Failed, importPublicKey, parseKeyRecord } from '../index.ts'
import { createLookup } from '../key/lookup.ts'
import { normalizeName } from '../key/name.ts'
import { joinChunks, looksLikeKeyRecord } from '../key/record.ts'
import { isUnavailable } from '../verdict/codes.ts'
import { EXIT, type Io, UsageError } from './command.ts'
import { type Command, option, SHARED, type Values } from './flags.ts'

const OPTIONS = { 'dns-server': SHARED['dns-server'], json: option.json } as const

const TIMEOUT = 5000

const EXITS = { usable: EXIT.ok, unusable: EXIT.refused, unavailable: EXIT.unknown }

/** `signed-requests key` */
export const key: Command<typeof OPTIONS> = {
  summary: 'look up a key record and describe it',
  usage: 'NAME [options]',
  about:
    'Asks DNS for the TXT records at NAME (a keyId, such as one._domainkey.service.example) and describes the key ' +
    'records among them.',
  options: OPTIONS,
  examples: [
    'npx signed-requests key one._domainkey.service.example',
    'npx signed-requests key one._domainkey.service.example --dns-server 8.8.8.8'
  ],
  exits: ['there is a key that can be used', 'there is not', 'DNS did not answer'],
  run
}

async function run(values: Values<typeof OPTIONS>, io: Io, argument: string): Promise<number> {
  const name = normalizeName(argument)
  if (name === undefined) throw new UsageError(`${argument} is not a DNS name`)
  const servers = values['dns-server']
  const answer = await createLookup(dnsTxtLookup(servers && { servers }), TIMEOUT)(name)
  const records = answer.ok ? answer.value.map(strings => reportOn(joinChunks(strings))) : []
  const isUsable = records.some(record => record.status === 'usable')
  const status = isUsable ? 'usable' : !answer.ok && isUnavailable(answer.code) ? 'unavailable' : 'unusable'
  const isUnrelated = records.every(record => record.status === 'unrelated')
  const none = isUnrelated ? 'no key record among the TXT records' : undefined
  const problem = answer.ok ? none : describeFailure(answer)
  const asked = servers ?? getServers()
  if (values.json) io.print(asciiJson({ name, servers: asked, status, problem, records }))
  else {
    const head = [`${status}: ${name}`, wrapWords('  asked: ', escapeText(`DNS server ${asked.join(', ')}`))]
    if (problem !== undefined) head.push(wrapWords('  problem: ', problem))
    io.print([...head, ...records.flatMap(recordLines)].join('\n'))
  }
  return EXITS[status]
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

/** For a person: printable ASCII in 80 columns. */
const recordLines = ({ status, text, ...about }: ReturnType<typeof reportOn>, i: number): string[] => [
  '',
  `record ${i + 1}: ${status === 'unrelated' ? 'not a key record' : status}`,
  ...Object.entries(about)
    .filter(([, value]) => String(value ?? '') !== '')
    .map(([name, value]) => wrapWords(`  ${name}: `, escapeText([value].flat().join(', '), 1000))),
  wrapExact('  text: ', escapeText(text, 2000))
]
