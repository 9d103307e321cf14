import { generateKeyPairSync } from 'node:crypto'
import { PRIVATE, type ZoneSpec } from './dns-world.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs1', format: 'der' }
})
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
  type: 'spki',
  format: 'der'
})

const recordOf = (der: Buffer) => `v=DKIM1; k=rsa; p=${der.toString('base64')}`
const RECORD = recordOf(publicKey)
const OTHER = recordOf(other)
/** What must not be printed. */
export const SECRET = privateKey.toString('base64')

/** A line of a zone file for each record. */
const at = (name: string, ...texts: string[]): string =>
  texts
    .map(text => {
      const strings = text.match(/.{1,255}/gs)!.map(part => `"${part.replace(/["\\]/g, '\\$&')}"`)
      return `${name} TXT ${strings.join(' ')}`
    })
    .join('\n')

const NAME = 'one._domainkey'
const KEY = at(NAME, RECORD)
const NOTHING = at('other', 'nothing')
const alike = (ns1: string): ZoneSpec => ({ ns1 })

export const ZONES: Readonly<Record<string, ZoneSpec>> = {
  'equal.example': { ns1: KEY },
  'differ.example': { ns1: KEY, ns2: at(NAME, OTHER), serials: [11, 12] },
  'partly.example': { ns1: KEY, ns2: NOTHING, serials: [12, 11] },
  'down.example': { ns1: KEY, ns2: 'down' },
  'lame.example': { ns1: KEY, ns2: 'lame' },
  'none.example': alike(NOTHING),
  'late.example': alike(NOTHING),
  'replaced.example': { ns1: KEY },
  'withdrawn.example': { ns1: KEY },
  'inside.example': { ns1: KEY, addresses: [PRIVATE, PRIVATE] },
  'dead.example': { ns1: '', ns2: 'lame', addresses: ['192.0.2.13', '192.0.2.13'] },
  'expired.example': { ns1: KEY, isExpired: true },
  'alias.example': alike(`${NAME} CNAME ${NAME}.equal.example.`),
  'dname.example': alike('_domainkey DNAME _domainkey.equal.example.'),
  'delegated.example': alike('_domainkey NS ns1.delegated.example.\n_domainkey NS ns2.delegated.example.'),
  '_domainkey.delegated.example': alike(at('one', RECORD)),
  'dangling.example': alike(`${NAME} CNAME gone.equal.example.`),
  'circle.example': alike(`${NAME} CNAME two\ntwo CNAME ${NAME}`),
  'cut.example': alike(at(NAME, RECORD.slice(0, 255))),
  'split.example': alike(at(NAME, RECORD.slice(0, 255), RECORD.slice(255))),
  'twice.example': alike(at(NAME, RECORD + RECORD)),
  'quotes.example': alike(at(NAME, `"${RECORD.slice(0, 250)}" "${RECORD.slice(250)}"`)),
  'backslash.example': alike(at(NAME, RECORD.replaceAll(';', '\\;'))),
  'text-alias.example': alike(at(NAME, `${NAME}.equal.example.`)),
  'appended.example': alike(at(`${NAME}.appended.example`, RECORD)),
  'mail.example': alike(at(NAME, RECORD.replace('k=rsa', 'k=3Drsa'))),
  'private.example': alike(at(NAME, `v=DKIM1; k=rsa; p=${SECRET}`))
}

interface Situation {
  readonly args: readonly string[]
  /** what the zones become after the resolver has been asked once */
  readonly before?: Readonly<Record<string, ZoneSpec>>
  /** undefined where it depends on which name server the resolver asked */
  readonly code: number | undefined
  /** how the first line begins: who must do what */
  readonly first: string
  /** what else stands in the conclusion */
  readonly reason: RegExp
}

const of = (zone: string, code: number | undefined, first: string, reason: RegExp, ...args: string[]): Situation => ({
  args: [`${NAME}.${zone}.example`, ...args],
  code,
  first,
  reason
})

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  equal: of(
    'equal',
    0,
    'Nothing to do for sender and receiver',
    /each name server that replies has the key, and so has the receiver\./
  ),
  differ: of(
    'differ',
    0,
    'The sender must make its name servers equal',
    /ns\d.differ.example has another record than ns\d.differ.example \(serial \d+ and \d+\)/
  ),
  partly: of(
    'partly',
    undefined,
    'The sender must make its name servers equal',
    /ns2.partly.example has no record, unlike ns1.partly.example \(serial 11 and 12\)/
  ),
  down: of(
    'down',
    0,
    'The sender must repair a name server',
    /so has the receiver, but not ns2.down.example \(ECONNREFUSED\)/
  ),
  lame: of(
    'lame',
    0,
    'The sender must repair a name server',
    /so has the receiver, but not ns2.lame.example \(REFUSED\)/
  ),
  none: of(
    'none',
    1,
    'The sender must publish the key:',
    /the name servers have no record at one._domainkey.none.example\./
  ),
  late: {
    ...of(
      'late',
      1,
      'The receiver must wait',
      /the key is published, and that server remembers that there was none, for another \d+ s\./
    ),
    before: { 'late.example': { ns1: KEY, serials: [2, 2] } }
  },
  replaced: {
    ...of('replaced', 0, 'The receiver must wait', /remembers another record, for another \d+ s\./),
    before: { 'replaced.example': { ns1: at(NAME, OTHER), serials: [2, 2] } }
  },
  withdrawn: {
    ...of(
      'withdrawn',
      0,
      'The sender must publish the key again, unless it was withdrawn',
      /the receiver has one for another \d+ s\./
    ),
    before: { 'withdrawn.example': { ns1: NOTHING, serials: [2, 2] } }
  },
  'inside, not asked': of(
    'inside',
    0,
    'The receiver must run this again with --private',
    /at private addresses are the name servers of inside.example; the receiver has a good key\./
  ),
  'inside, asked': of(
    'inside',
    0,
    'Nothing to do for sender and receiver',
    /each name server that replies has the key, and so has the receiver\./,
    '--private'
  ),
  dead: of('dead', 2, 'The sender must repair its name servers', /gets no answer from any of them, in dead.example\./),
  expired: of('expired', 1, 'The sender must sign its zone again', /signatures do not validate, in expired.example\./),
  alias: of(
    'alias',
    0,
    'Nothing to do for sender and receiver',
    /each name server that replies has the key, and so has the receiver\./
  ),
  dname: of(
    'dname',
    0,
    'Nothing to do for sender and receiver',
    /each name server that replies has the key, and so has the receiver\./
  ),
  delegated: of(
    'delegated',
    0,
    'Nothing to do for sender and receiver',
    /each name server that replies has the key, and so has the receiver\./
  ),
  dangling: of(
    'dangling',
    1,
    'The sender must publish the key:',
    /no record at gone.equal.example, where its alias leads/
  ),
  circle: of('circle', 1, 'The sender must end the circle of aliases', /two.circle.example/),
  cut: of('cut', 1, 'The sender must publish the whole record', /cut at 255 characters/),
  split: of('split', 1, 'The sender must publish one TXT record', /split over several TXT records/),
  twice: of('twice', 1, 'The sender must publish the text of the record once', /pasted twice/),
  quotes: of('quotes', 1, 'The sender must publish the text without quotes', /of a zone file/),
  backslash: of('backslash', 1, 'The sender must publish the text without quotes', /of a zone file/),
  'text-alias': of('text-alias', 1, 'The sender must publish a CNAME record', /published as a text/),
  appended: of('appended', 1, 'The sender must end the name with a dot', /appended.example.appended.example/),
  mail: of('mail', 1, 'The sender must publish the record again', /a mail program/),
  private: of('private', 1, 'The sender must REVOKE THIS KEY NOW', /PRIVATE KEY/)
}
