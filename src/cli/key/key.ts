import { asciiJson } from '../../explain/text.ts'
import { normalizeName } from '../../http/host-name.ts'
import { dnsTxtLookup } from '../../index.ts'
import { createLookup } from '../../key/lookup.ts'
import { joinChunks } from '../../key/record.ts'
import { SHARED } from '../../options/flags.ts'
import { DEFAULTS } from '../../options/options.ts'
import { isUnavailable } from '../../result/codes.ts'
import { type Io, UsageError } from '../command.ts'
import { type Command, JSON_FLAG, pick, type Values } from '../flags.ts'
import { LOOKUP_FLAGS, lookupOf } from '../lookup.ts'
import { createAsk, type Server } from './ask.ts'
import { conclude, exitCodeOf, type Resolved } from './conclude.ts'
import { describeFailure, type KeyReport, reportText, toPlainData } from './report.ts'
import { traceName } from './trace.ts'

const FLAGS = {
  ...LOOKUP_FLAGS,
  ...pick(SHARED, 'lookupTimeout', 'minRsaBits', 'maxRsaBits'),
  noTrace: { flag: 'no-trace', kind: 'switch', about: "ask the receiver's DNS server only" },
  private: { flag: 'private', kind: 'switch', about: 'ask name servers at private addresses, too' },
  json: JSON_FLAG
} as const

/** `signed-requests key` */
export const key: Command<typeof FLAGS> = {
  summary: 'is a key published, and who has to do what if not',
  about: [
    "Asks the receiver's DNS server for the key at NAME (a keyId, such as one._domainkey.service.example), then the " +
      'name servers that are responsible for it. Says first what is to be done, and by whom.',
    'With --doh the name servers are not asked: that needs DNS on port 53.'
  ],
  argument: 'NAME...',
  flags: FLAGS,
  examples: [
    'npx signed-requests key one._domainkey.service.example',
    'npx signed-requests key one._domainkey.service.example --dns-server 8.8.8.8'
  ],
  exits: {
    0: "the receiver's DNS server has a key that can be used, for each NAME",
    1: "there is none, the zone's signatures do not validate, or its aliases go in a circle",
    2: 'nobody could be asked',
    64: 'a mistake on the command line'
  },
  run
}

/** Milliseconds for all that is asked after the receiver's own lookup. */
const TRACE_TIMEOUT = 10_000

/** Messages after that lookup, for all names together. */
const MAX_QUERIES = 60

async function run(values: Values<typeof FLAGS>, io: Io, _: string, names: readonly string[]): Promise<number> {
  const lookupTxt = lookupOf(values) ?? dnsTxtLookup()
  const lookup = createLookup(lookupTxt, values.lookupTimeout ?? DEFAULTS.lookupTimeout)
  const { minRsaBits = DEFAULTS.minRsaBits, maxRsaBits = DEFAULTS.maxRsaBits } = values
  const limits = { minRsaBits, maxRsaBits }
  const asked = lookupTxt.servers?.() ?? []
  const resolve = async (name: string): Promise<Resolved> => {
    io.progress?.(`asking for ${name}`)
    const reply = await lookup(name)
    if (reply.ok) return { texts: reply.value.map(joinChunks), failure: undefined, isUnavailable: false }
    const failure = describeFailure(reply)
    return { texts: [], failure, isUnavailable: isUnavailable(reply.code) }
  }
  const unique = [...new Set(names.map(validName))]
  const resolved = await Promise.all(unique.map(resolve))
  const ask = createAsk(MAX_QUERIES, AbortSignal.timeout(TRACE_TIMEOUT))
  const isTraced = values.url === undefined && values.noTrace !== true
  const options = {
    resolvers: isTraced ? asked.map(serverOf) : [],
    includePrivate: values.private === true,
    onZone: (zone: string) => io.progress?.(`asking the name servers of ${zone}`)
  }
  const reports = await Promise.all(
    unique.map(async (name, i): Promise<KeyReport> => {
      const trace = isTraced ? await traceName(ask, name, options) : undefined
      const conclusion = conclude(resolved[i]!, trace, limits)
      return { name, asked, resolved: resolved[i]!, trace, conclusion, limits, now: Date.now() }
    })
  )
  const [only, ...others] = reports
  if (values.json) io.print(asciiJson(others.length > 0 ? reports.map(toPlainData) : toPlainData(only!)))
  else io.print(reports.map(report => reportText(report)).join('\n\n\n'))
  return Math.max(...reports.map(report => exitCodeOf(report.resolved, report.conclusion, limits)))
}

function validName(name: string): string {
  const normalized = normalizeName(name)
  if (normalized === undefined) throw new UsageError(`${name} is not a DNS name`)
  return normalized
}

/** `127.0.0.1:5353`, `[::1]:5353` or an address alone, as Node.js writes them. */
function serverOf(server: string): Server {
  const [, v6, v4 = server, port = '53'] = /^(?:\[(.+)\]|([\d.]+)):(\d+)$/.exec(server) ?? []
  return { address: v6 ?? v4, port: Number(port) }
}
