import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../cli/captures/capture.ts'
import { reportOn } from '../../../cli/key/report.ts'
import { parseSigned } from '../../../cli/key/signed-by.ts'
import { seconds, summarizeLookup } from '../../../cli/key/summary.ts'
import type { ServerReport, Trace } from '../../../cli/key/trace.ts'
import { ONE, TWO } from '../../../fixtures/source/keys.ts'
import { fail, ok } from '../../../src/core/result/result.ts'
import { KEY_NAME, RECORD } from '../../support/explain.ts'
import { service } from '../../support/service.ts'

const NAME = 'one._domainkey.service.example'
const ZONE = 'service.example'

const server = (error?: string, n = 1): ServerReport =>
  error === undefined
    ? { server: `ns${n}.${ZONE}`, address: `192.0.2.${n}`, texts: [ONE.record] }
    : { server: `ns${n}.${ZONE}`, address: `192.0.2.${n}`, error }

const trace = (servers: readonly ServerReport[], more: Partial<Trace> = {}): Trace => ({
  ttl: 240,
  isAuthenticated: false,
  isBogus: false,
  tcpError: undefined,
  hops: [{ name: NAME, zone: ZONE, servers }],
  isEndless: false,
  misplaced: undefined,
  isCut: false,
  ...more
})
const NOWHERE: Partial<Trace> = { hops: [{ name: NAME, servers: [] }] }

const KEY = [ONE.record]
const say = (texts: readonly string[], error: string | undefined, trace?: Trace) =>
  summarizeLookup(texts, error, {}, trace)

const SILENT =
  'The sender must repair its name servers, unless a firewall here drops port 53, which looks the same: none of them ' +
  'answers from here, in service.example '
const LIMIT = 'The receiver must run this again, with fewer names at once: this command sends 60 queries in 10 seconds'

describe('where no name server answers', () => {
  const silent = [server('ETIMEOUT', 1), server('ETIMEOUT', 2), server('ECONNREFUSED', 3)]

  test('without a name server, but with a key: says when the receiver loses it', () => {
    expect(say(KEY, undefined, trace(silent))).toEqual({
      kind: 'no-server-answers',
      text:
        `${SILENT}(ETIMEOUT, ECONNREFUSED); the receiver has a good key, and loses it in 240 s if they do not ` +
        'answer its DNS server either.'
    })
    expect(say(KEY, undefined, trace(silent, { ttl: undefined })).text).toContain(' and loses it soon if they do not ')
    expect(say(KEY, undefined, trace([])).text).toContain(
      '(their addresses are not known); the receiver has a good key'
    )
  })

  test('without a name server and without a key: says that the receiver has no good key', () => {
    expect(say([], undefined, trace(silent)).text).toBe(
      `${SILENT}(ETIMEOUT, ECONNREFUSED); the receiver has no good key.`
    )
  })

  test('without a name server, and a DNS server that fails: says that', () => {
    const { text } = say([], 'ESERVFAIL', trace(silent))
    expect(text).toBe(`${SILENT}(ETIMEOUT, ECONNREFUSED); the receiver's DNS server fails as well: ESERVFAIL.`)
  })

  test('without a name server, because our own limit was reached: says that, and accuses nobody', () => {
    for (const servers of [[], [server('EBUDGET')], [server('ETIMEOUT'), server('EBUDGET', 2)]])
      expect(say(KEY, undefined, trace(servers, { isCut: true }))).toEqual({
        kind: 'limit-reached',
        text: `${LIMIT} at most, and had not asked all name servers by then, in service.example; the receiver has a good key.`
      })
    expect(say(KEY, undefined, trace([server('ETIMEOUT')], { isCut: true })).kind).toBe('no-server-answers')
    const unknown = say(KEY, undefined, trace([], { ...NOWHERE, isCut: true }))
    expect(unknown.text).toContain(`by then, in ${NAME}; the receiver has a good key.`)
  })

  test('without a name server, because none was asked: does not say that they were not reached', () => {
    expect(say(KEY, undefined).text).toBe(
      "Usable: the receiver's DNS server has a good key; the name servers were not asked."
    )
    expect(say([], undefined).text).toMatch(/ does not have it; the name servers were not asked\.$/)
  })

  test('without a name server, because the DNS server does not say which these are: says that', () => {
    const { kind, text } = say(KEY, undefined, trace([], NOWHERE))
    expect([kind, text]).toEqual([
      'resolver-has-key',
      "Usable: the receiver's DNS server has a good key; it does not say which name servers are responsible."
    ])
  })
})

test('a limit that was reached after each name server had answered changes nothing', () => {
  expect(say(KEY, undefined, trace([server()], { isCut: true }))).toEqual(say(KEY, undefined, trace([server()])))
  expect(say(KEY, undefined, trace([server()])).text).toMatch(/^Usable: each name server that replies has the key/)
})

describe('the signature of a request is tried', () => {
  const signed = parseSigned({ request: service.sign(), notes: [] } as Entry, KEY_NAME)
  const report = (reply: Parameters<typeof reportOn>[0]['reply'], texts: readonly string[]) =>
    reportOn({ name: KEY_NAME, reply, signed, trace: trace([{ ...server(), texts }]) }, {}).request

  test('the signature of a request is tried with the records that only a name server has', () => {
    const text = `The request was signed with the key of ns1.${ZONE}, which the receiver's DNS server does not have (rsa-sha256).`
    expect(report(ok([[TWO.record]]), [RECORD])).toMatchObject({ outcome: 'made', text, record: RECORD })
    const failed = fail('key-lookup-failed', { name: KEY_NAME, error: 'ESERVFAIL', problem: 'threw' })
    expect(report(failed, [RECORD])).toMatchObject({ outcome: 'made' })
    expect(report(failed, [TWO.record])).toMatchObject({ outcome: 'none' })
    expect(report(failed, [])).toMatchObject({ outcome: 'undecided' })
  })

  test('the signature of a request is tried with a record that both have as the one of the receiver', () => {
    expect(report(ok([[RECORD]]), [RECORD])?.text).toContain('the key of record 1 (rsa-sha256)')
  })
})

test.each(['ENETUNREACH', 'EHOSTUNREACH', 'EPRIVATE', 'EBUDGET'])(
  'a name server beside a good one that was not reached with %s is not accused',
  error => {
    expect(say(KEY, undefined, trace([server(), server(error, 2)])).kind).toBe('published')
  }
)

test('name servers that answer over UDP alone are told from those that do not answer', () => {
  const cut = [server('ECONNREFUSED'), server('ETIMEOUT', 2)].map(each => ({ ...each, isTruncated: true }))
  expect(say([], undefined, trace(cut)).kind).toBe('tcp-refused')
  expect(say([], undefined, trace([...cut, server('ETIMEOUT', 3)])).kind).toBe('no-server-answers')
})

test('a name server beside a good one that fails is named', () => {
  const { kind, text } = say(KEY, undefined, trace([server(), server('ESERVFAIL', 2)]))
  expect([kind, text]).toEqual(['server-fails', expect.stringContaining('but not ns2.service.example (ESERVFAIL).')])
})

test('signatures that do not validate are the conclusion when the lookup failed, and not when it has a key', () => {
  const bogus = trace([server()], { isBogus: true })
  expect(say([], 'ESERVFAIL', bogus)).toEqual({
    kind: 'signatures-invalid',
    text: 'The sender must sign its zone again: its DNSSEC signatures do not validate, in service.example.'
  })
  expect(say([], 'ESERVFAIL', trace([], { ...NOWHERE, isBogus: true })).text).toContain(` do not validate, in ${NAME}.`)
  expect(say(KEY, undefined, bogus).kind).toBe('published')
})

describe('the whole conclusion', () => {
  const at = (n: number, more: Partial<ServerReport> = {}): ServerReport => ({ ...server(undefined, n), ...more })
  const NS1 = `ns1.${ZONE}`
  const NS2 = `ns2.${ZONE}`

  test.each<[string, readonly string[], string | undefined, Trace, kind: string, text: string]>([
    [
      'of equal servers',
      KEY,
      undefined,
      trace([at(1), at(2)]),
      'published',
      'Usable: each name server that replies has the key, and so has the receiver.'
    ],
    [
      'of servers with other records',
      KEY,
      undefined,
      trace([at(1, { serial: 12 }), at(2, { texts: [TWO.record], serial: 11 })]),
      'servers-differ',
      `The sender must make its name servers agree: ${NS2} has another record than ${NS1} (serial 11 and 12).`
    ],
    [
      'of a server without a record',
      KEY,
      undefined,
      trace([at(1, { texts: [], serial: 12 }), at(2)]),
      'servers-differ',
      `The sender must make its name servers agree: ${NS1} has no record, unlike ${NS2} (serial 12 and unknown).`
    ],
    [
      'of servers with the same records in another order',
      KEY,
      undefined,
      trace([at(1, { texts: [ONE.record, 'v=spf1 -all'] }), at(2, { texts: ['v=spf1 -all', ONE.record] })]),
      'resolver-has-old',
      'The receiver must wait, or empty the cache of its DNS server: the key is published, and that server remembers another record, for another 240 s.'
    ],
    [
      'of a server with an alias beside one without',
      KEY,
      undefined,
      trace([at(1), at(2, { alias: 'a.example' })]),
      'servers-differ',
      `The sender must make its name servers agree: ${NS2} has another record than ${NS1} (serial unknown and unknown).`
    ],
    [
      'of an alias to servers with other records',
      KEY,
      undefined,
      trace([], {
        hops: [
          { name: 'alias.example', zone: 'example', servers: [at(1, { alias: NAME, texts: [] })] },
          { name: NAME, zone: ZONE, servers: [at(1), at(2, { texts: [TWO.record] })] }
        ]
      }),
      'servers-differ',
      `The sender must make its name servers agree: ${NS2} has another record than ${NS1} (serial unknown and unknown).`
    ],
    [
      'of records that are not keys',
      ['v=spf1 -all'],
      undefined,
      trace([at(1, { texts: ['v=spf1 -all'] })]),
      'bad-record',
      'The sender must publish the key there: none of the TXT records at the name is a key record.'
    ],
    [
      'of a resolver that remembers nothing',
      [],
      undefined,
      trace([at(1)], { ttl: undefined }),
      'resolver-has-old',
      'The receiver must wait, or empty the cache of its DNS server: the key is published, and that server remembers that it had no record, for another while.'
    ],
    [
      'of a resolver that fails beside a good server',
      [],
      'ESERVFAIL',
      trace([at(1)]),
      'resolver-fails',
      'The receiver must repair its DNS server, or name another (--dns-server): it fails with ESERVFAIL.'
    ],
    [
      'of a key that the servers do not have any more',
      KEY,
      undefined,
      trace([at(1, { texts: [] })], { ttl: 7200 }),
      'withdrawn',
      'The sender must publish the key again, unless it was withdrawn: its name servers do not have it; the receiver has it for another 2 hours (7200 s).'
    ],
    [
      'of a name without a record',
      [],
      undefined,
      trace([at(1, { texts: [] })]),
      'not-published',
      `The sender must publish the key: the name servers have no record at ${NAME}.`
    ],
    [
      'of an alias to a name without a record',
      [],
      undefined,
      trace([], {
        hops: [
          { name: 'alias.example', zone: 'example', servers: [] },
          { name: NAME, zone: ZONE, servers: [at(1, { texts: [] })] }
        ]
      }),
      'not-published',
      `The sender must publish the key: the name servers have no record at ${NAME}, where its alias leads.`
    ],
    [
      'of a name to which the zone was appended',
      [],
      undefined,
      trace([at(1, { texts: [] })], { misplaced: `${NAME}.${ZONE}` }),
      'bad-record',
      expect.stringMatching(/^The sender must .*service\.example\.service\.example/)
    ],
    [
      'of a record that is not a key',
      ['v=DKIM1; p='],
      undefined,
      trace([at(1, { texts: ['v=DKIM1; p='] })]),
      'bad-record',
      expect.stringMatching(/^The sender must /)
    ],
    [
      'of aliases without an end',
      [],
      undefined,
      trace([], {
        isEndless: true,
        hops: [
          { name: 'a.example', servers: [] },
          { name: 'b.example', servers: [] }
        ]
      }),
      'endless-aliases',
      'The sender must break the CNAME loop, or use at most 8 aliases: a.example, b.example.'
    ],
    [
      'of servers at private addresses',
      KEY,
      undefined,
      trace([server('EPRIVATE')]),
      'servers-private',
      `The receiver must run this again with --private: the name servers of ${ZONE} have private addresses, so others may get another answer; the receiver has a good key.`
    ],
    [
      'of a resolver that fails and knows no zone',
      [],
      'ESERVFAIL',
      trace([], NOWHERE),
      'resolver-fails',
      'The receiver must repair its DNS server, or name another (--dns-server): it fails with ESERVFAIL.'
    ],
    [
      'of a resolver without the key that knows no zone',
      [],
      undefined,
      trace([], NOWHERE),
      'resolver-has-none',
      "The sender must publish the key, unless others see it: the receiver's DNS server does not have it; it does not say which name servers are responsible."
    ],
    [
      'of a server with a name that steers a terminal',
      KEY,
      undefined,
      trace([at(1), { ...server('EREFUSED', 2), server: '\x1b[31m' }]),
      'server-fails',
      'The sender must repair a name server: the others have the key, and so has the receiver, but not \\x1b[31m (EREFUSED).'
    ]
  ])('the whole conclusion %s', (_, texts, error, given, kind, text) => {
    expect(say(texts, error, given)).toEqual({ kind, text })
  })

  test.each([
    [0, '0 s'],
    [999, '999 s'],
    [1000, '17 minutes (1000 s)']
  ])('writes a time to live of %i s as %s', (ttl, text) => {
    expect(seconds(ttl)).toBe(text)
  })
})
