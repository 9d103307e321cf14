import { pick, type Values } from '../../flags/flag.ts'
import { LOOKUP_FLAGS, lookupFromFlags } from '../../flags/lookup.ts'
import { SHARED } from '../../flags/table.ts'
import { UsageError } from '../../flags/usage-error.ts'
import { dnsTxtLookup } from '../../src/index.ts'
import { asciiJson, createLookup, normalizeName, validateOnly } from '../../src/internal/index.ts'
import type { Entry } from '../captures/capture.ts'
import { chooseEntry, ENTRY_FLAG } from '../captures/choose-entry.ts'
import { readCapture } from '../captures/read-capture.ts'
import { EXIT, type Io, readBytes } from '../command.ts'
import { type Command, JSON_FLAG } from '../flags.ts'
import { BUDGET, createDns } from './ask.ts'
import { type KeyReport, reportLines, reportOn } from './report.ts'
import { parseSigned } from './signed-by.ts'
import { traceName } from './trace.ts'

const FLAGS = {
  ...LOOKUP_FLAGS,
  ...pick(SHARED, 'lookupTimeout', 'minRsaBits', 'maxRsaBits'),
  noTrace: { flag: 'no-trace', kind: 'switch', about: 'ask the DNS server only, not the name servers' },
  request: {
    flag: 'request',
    kind: 'text',
    value: 'FILE',
    about: 'find the key that signed this captured request, in any format of explain'
  },
  entry: { ...ENTRY_FLAG, needs: 'request' },
  private: { flag: 'private', kind: 'switch', about: 'ask name servers at private addresses, too' },
  json: JSON_FLAG
} as const

/** The command `signed-requests key`. */
export const key: Command<typeof FLAGS> = {
  about: [
    'Looks up the key at NAME (a keyId, such as one._domainkey.service.example) at your DNS server and at the name ' +
      'servers that are responsible for it. Says first who must fix what.',
    'With --request, finds the key that signed a captured request.',
    'With --doh, asks no name servers: that needs port 53.'
  ],
  argument: 'NAME...',
  flags: FLAGS,
  examples: [
    'npx signed-requests key one._domainkey.service.example',
    'npx signed-requests key one._domainkey.service.example --dns-server 8.8.8.8',
    'npx signed-requests key one._domainkey.service.example --request request.http'
  ],
  exits: {
    0: 'each NAME has a usable key; with --request, one of them signed it',
    1:
      'a NAME has no usable key, does not validate by DNSSEC, or is a loop of aliases; with --request, none of the ' +
      'keys signed it',
    2: 'DNS did not answer; with --request, undecided',
    64: 'usage error'
  },
  run
}

async function run(values: Values<typeof FLAGS>, io: Io, _: string, all: readonly string[]): Promise<number> {
  const lookupTxt = lookupFromFlags(values) ?? dnsTxtLookup()
  const { lookupTimeout, ...limits } = validateOnly(values, ['lookupTimeout', 'minRsaBits', 'maxRsaBits'])
  const lookup = createLookup(lookupTxt, lookupTimeout)
  const servers = lookupTxt.servers?.() ?? []
  const names = [...new Set(all.map(validName))]
  const entry = await readEntry(values, io)
  io.progress?.(`asking for ${names.join(', ')}`)
  const replies = await Promise.all(names.map(name => lookup(name)))

  const isTraced = values.url === undefined && !values.noTrace
  if (values.url !== undefined && !values.noTrace)
    io.note('note: with --doh the name servers are not asked, because that needs port 53; leave --doh out to ask them')
  if (isTraced) io.progress?.('asking the name servers')
  const end = AbortSignal.timeout(BUDGET.milliseconds)
  const dns = createDns(servers, values.private === true, BUDGET.messages, end)
  const traces = await Promise.all(names.map(name => (isTraced ? traceName(dns, name) : undefined)))

  const reports = names.map((name, i) => {
    const signed = entry && parseSigned(entry, name)
    return reportOn({ name, reply: replies[i]!, trace: traces[i], signed, isOneOfSeveral: names.length > 1 }, limits)
  })
  if (values.json) io.print(asciiJson(reports.map(report => ({ ...report, servers }))))
  else io.print(reports.flatMap((report, i) => [...(i > 0 ? ['', ''] : []), ...reportLines(report, servers)]))
  return entry === undefined ? Math.max(...reports.map(exitCodeOf)) : requestExitCode(reports)
}

/** Reads the captured request, if one is given. @throws UsageError */
async function readEntry({ request: file, entry }: Values<typeof FLAGS>, io: Io): Promise<Entry | undefined> {
  if (file === undefined) return undefined
  const { chosen, notes, edited } = chooseEntry(readCapture(await readBytes(file, '--request', io)), { entry })
  for (const note of [...notes, ...edited]) io.note(`note: ${note}`)
  return chosen
}

/**
 * Returns the exit code. 0: one of the keys signed the request; 2: perhaps one of those that could not be tried; 1:
 * none did.
 */
function requestExitCode(reports: readonly KeyReport[]): number {
  const outcomes = reports.map(({ request }) => request?.outcome)
  if (outcomes.includes('made')) return EXIT.ok
  return outcomes.includes('undecided') ? EXIT.unknown : EXIT.refused
}

/**
 * Returns the exit code. 0: the resolver has a good key; 1: it does not have one, or never will; 2: nobody could be
 * asked.
 */
function exitCodeOf({ status, conclusion }: KeyReport): number {
  if (status === 'usable') return EXIT.ok
  const isDecided = conclusion.kind === 'signatures-invalid' || conclusion.kind === 'endless-aliases'
  return status === 'unusable' || isDecided ? EXIT.refused : EXIT.unknown
}

/** Normalizes a name. @throws UsageError, which does not repeat the name: without a dot it can be a token */
function validName(name: string): string {
  const normalized = normalizeName(name)
  if (normalized?.includes('.')) return normalized
  throw new UsageError('NAME must be a DNS name, such as one._domainkey.service.example')
}
