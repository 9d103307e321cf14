import { ONE, TWO } from '../../../fixtures/source/keys.ts'
import { PRIVATE, type ZoneSpec } from './dns-world.ts'

const RECORD = ONE.record
const OTHER = TWO.record
/** This must never be printed. */
export const SECRET = ONE.privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')

/** Writes a line of a zone file for each record. */
const at = (name: string, ...texts: string[]): string =>
  texts
    .map(text => {
      const strings = text.match(/.{1,255}/gs)!.map(part => `"${part.replace(/["\\]/g, '\\$&')}"`)
      return `${name} TXT ${strings.join(' ')}`
    })
    .join('\n')

export const NAME = 'one._domainkey'
const KEY = at(NAME, RECORD)
const NOTHING = at('other', 'nothing')

export const ZONES: Readonly<Record<string, ZoneSpec>> = {
  'equal.example': { ns1: KEY },
  'differ.example': { ns1: KEY, ns2: at(NAME, OTHER), serials: [11, 12] },
  'partly.example': { ns1: KEY, ns2: NOTHING, serials: [12, 11] },
  'down.example': { ns1: KEY, ns2: 'down' },
  'lame.example': { ns1: KEY, ns2: 'lame' },
  'none.example': { ns1: NOTHING },
  'late.example': { ns1: NOTHING },
  'replaced.example': { ns1: KEY },
  'withdrawn.example': { ns1: KEY },
  'inside.example': { ns1: KEY, addresses: [PRIVATE, PRIVATE] },
  'dead.example': { ns1: '', ns2: 'lame', addresses: ['192.0.2.13', '192.0.2.13'] },
  'silent.example': { ns1: KEY },
  'many.example': { ns1: at('*', RECORD) },
  'expired.example': { ns1: KEY, isExpired: true },
  'alias.example': { ns1: `${NAME} CNAME ${NAME}.equal.example.` },
  'dname.example': { ns1: '_domainkey DNAME _domainkey.equal.example.' },
  'delegated.example': { ns1: '_domainkey NS ns1.delegated.example.\n_domainkey NS ns2.delegated.example.' },
  '_domainkey.delegated.example': { ns1: at('one', RECORD) },
  'dangling.example': { ns1: `${NAME} CNAME gone.equal.example.` },
  'circle.example': { ns1: `${NAME} CNAME two\ntwo CNAME ${NAME}` },
  'cut.example': { ns1: at(NAME, RECORD.slice(0, 255)) },
  'split.example': { ns1: at(NAME, RECORD.slice(0, 255), RECORD.slice(255)) },
  'twice.example': { ns1: at(NAME, RECORD + RECORD) },
  'quotes.example': { ns1: at(NAME, `"${RECORD.slice(0, 250)}" "${RECORD.slice(250)}"`) },
  'backslash.example': { ns1: at(NAME, RECORD.replaceAll(';', '\\;')) },
  'text-alias.example': { ns1: at(NAME, `${NAME}.equal.example.`) },
  'appended.example': { ns1: at(`${NAME}.appended.example`, RECORD) },
  'mail.example': { ns1: at(NAME, RECORD.replace('k=rsa', 'k=3Drsa')) },
  'private.example': { ns1: at(NAME, `v=DKIM1; k=rsa; p=${SECRET}`) }
}

interface Situation {
  /** undefined where it depends on which name server the resolver asked */
  readonly code: number | undefined
  /** the start of the first line: who must do what */
  readonly first: string
  /** further text of the conclusion */
  readonly reason: RegExp
  readonly args: readonly string[]
  /** the zone after the resolver has been asked once */
  readonly after: ZoneSpec | undefined
  /** its name servers no longer answer after the resolver has been asked once */
  readonly isPaused: boolean
  /** only the report on the last of several names counts */
  readonly isLast: boolean
}

const of = (
  code: number | undefined,
  first: string,
  reason: RegExp,
  { after, args = [], isPaused = false, isLast = false }: Partial<Situation> = {}
): Situation => ({ code, first, reason, args, after, isPaused, isLast })

const USABLE = 'Usable: '
const SAME = /each name server that replies has the key, and so has the receiver\./
const SILENT = 'The sender must repair its name servers, unless a firewall here drops port 53'
const WAIT = 'The receiver must wait'
const EQUAL = 'The sender must make its name servers agree'
const REPAIR = 'The sender must repair a name server'
const PUBLISH = 'The sender must publish'
const LATER = { serials: [2, 2] } as const

/** The first word of each name is its zone. */
export const SITUATIONS: Readonly<Record<string, Situation>> = {
  equal: of(0, USABLE, SAME),
  differ: of(0, EQUAL, /ns\d.differ.example has another record than ns\d.differ.example \(serial \d+ and \d+\)/),
  partly: of(undefined, EQUAL, /ns2.partly.example has no record, unlike ns1.partly.example \(serial 11 and 12\)/),
  down: of(0, REPAIR, /so has the receiver, but not ns2.down.example \(ECONNREFUSED\)/),
  lame: of(0, REPAIR, /so has the receiver, but not ns2.lame.example \(REFUSED\)/),
  none: of(1, `${PUBLISH} the key:`, /the name servers have no record at one._domainkey.none.example\./),
  late: of(1, WAIT, /the key is published, and that server remembers that it had no record, for another \d+ s\./, {
    after: { ns1: KEY, ...LATER }
  }),
  replaced: of(0, WAIT, /remembers another record, for another \d+ s\./, { after: { ns1: at(NAME, OTHER), ...LATER } }),
  withdrawn: of(0, `${PUBLISH} the key again, unless it was withdrawn`, /the receiver has it for another \d+ s\./, {
    after: { ns1: NOTHING, ...LATER }
  }),
  'inside, not asked': of(
    0,
    'The receiver must run this again with --private',
    /the name servers of inside.example have private addresses, .* the receiver has a good key\./
  ),
  'inside, asked': of(0, USABLE, SAME, { args: ['--private'] }),
  dead: of(
    2,
    SILENT,
    /from here, in dead\.example \(ECONNREFUSED\); the receiver's DNS server fails as well: key-lookup-/
  ),
  silent: of(
    0,
    SILENT,
    /in silent\.example \(ETIMEOUT\); the receiver has a good key, and loses it in (?:2\d\d|300) s if they do not/,
    { isPaused: true }
  ),
  many: of(0, 'The receiver must run this again, with fewer names', /in many\.example; the receiver has a good key\./, {
    args: Array.from({ length: 30 }, (_, i) => `${i}.many.example`),
    isLast: true
  }),
  expired: of(1, 'The sender must sign its zone again', /signatures do not validate, in expired.example\./),
  alias: of(0, USABLE, SAME),
  dname: of(0, USABLE, SAME),
  delegated: of(0, USABLE, SAME),
  dangling: of(1, `${PUBLISH} the key:`, /no record at gone.equal.example, where its alias leads/),
  circle: of(1, 'The sender must break the CNAME loop', /two.circle.example/),
  cut: of(1, `${PUBLISH} the whole record`, /cut at 255 characters/),
  split: of(1, `${PUBLISH} one TXT record`, /split over several TXT records/),
  twice: of(1, `${PUBLISH} the text of the record once`, /pasted twice/),
  quotes: of(1, `${PUBLISH} the text without quotes`, /of a zone file/),
  backslash: of(1, `${PUBLISH} the text without quotes`, /of a zone file/),
  'text-alias': of(1, `${PUBLISH} a CNAME record`, /published as a text/),
  appended: of(1, 'The sender must end the name with a dot', /appended.example.appended.example/),
  mail: of(1, `${PUBLISH} the record again`, /a mail program/),
  private: of(1, 'The sender must REVOKE THIS KEY NOW', /PRIVATE KEY/)
}
