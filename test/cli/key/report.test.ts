import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { reportLines, reportOn } from '../../../cli/key/report.ts'
import type { ServerReport, Trace } from '../../../cli/key/trace.ts'
import { ONE, TWO } from '../../../fixtures/source/keys.ts'
import { fail, ok } from '../../../src/core/result/result.ts'
import { withoutTones } from '../../../src/explain/text.ts'

const NAME = 'one._domainkey.service.example'
const ZONE = 'service.example'

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
const at = (n: number, more: Partial<ServerReport>): ServerReport => ({
  server: `ns${n}.${ZONE}`,
  address: `192.0.2.${n}`,
  serial: 12,
  ...more
})

type Reply = Parameters<typeof reportOn>[0]['reply']
const found = (...texts: string[]): Reply => ok(texts.map(text => [text]))
const report = (reply: Reply, trace?: Trace) => reportOn({ name: NAME, reply, trace, signed: undefined }, {})

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 12), toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** Returns the lines for a person, without the line breaks that fit them to a terminal. */
const linesOf = (...given: Parameters<typeof report>) =>
  reportLines(report(...given), ['192.0.2.53', '192.0.2.54']).map(line =>
    withoutTones([line])
      .replace(/\n {2}(?=\S)/g, ' ')
      .replace(/(?<=\S)\n(?=\S)/g, ' ')
  )

describe('the report on a name', () => {
  test('has the conclusion, the answer of the resolver, and each name server of each zone', () => {
    const servers = [
      at(1, { texts: [ONE.record] }),
      at(2, { texts: ['v=spf1 -all', ONE.record], serial: undefined }),
      at(3, { error: 'REFUSED' }),
      at(4, { texts: [] }),
      at(5, { texts: [], isAbsent: true }),
      at(6, { alias: 'two.example', texts: [] })
    ]
    const hops = [
      { name: 'alias.example', servers: [] },
      { name: NAME, zone: ZONE, servers }
    ]
    const all = linesOf(found(ONE.record), trace(servers, { hops }))
    expect(all.slice(1, 6)).toEqual([
      '',
      `usable: ${NAME}`,
      '  asked: DNS server 192.0.2.53, 192.0.2.54',
      '  asks again: in 240 s, at 2026-11-20T12:04:00Z',
      '  dnssec: not authenticated'
    ])
    expect(all[6]).toBe('\nrecord 1: a good rsa key of 2048 bits')
    expect(all[7]?.replace(/\s/g, '')).toBe(`text:${ONE.record.replace(/\s/g, '')}`)
    expect(all.slice(8)).toEqual([
      '',
      '-- alias.example, in the zone unknown',
      '',
      `-- ${NAME}, in the zone ${ZONE}`,
      `  ns1.${ZONE} (192.0.2.1): serial 12, the record above`,
      `  ns2.${ZONE} (192.0.2.2): serial unknown, v=spf1 -all`,
      `  ns3.${ZONE} (192.0.2.3): no answer, REFUSED`,
      `  ns4.${ZONE} (192.0.2.4): serial 12, no TXT record`,
      `  ns5.${ZONE} (192.0.2.5): serial 12, no such name`,
      `  ns6.${ZONE} (192.0.2.6): serial 12, an alias of two.example`
    ])
  })

  test.each<[Partial<Trace>, string[]]>([
    [{ ttl: undefined }, ['  dnssec: not authenticated']],
    [{ ttl: undefined, isAuthenticated: true }, ['  dnssec: authenticated']],
    [{ ttl: undefined, isBogus: true }, ['  dnssec: fails, and replies when it is asked not to validate']],
    [{ ttl: 86_400 }, ['  asks again: in 24 hours (86400 s), at 2026-11-21T12:00:00Z', '  dnssec: not authenticated']]
  ])('says what the resolver does next, and what DNSSEC is worth: %j', (more, expected) => {
    const [start] = ['  asked: DNS server 192.0.2.53, 192.0.2.54']
    const all = linesOf(found(ONE.record), trace([at(1, { texts: [ONE.record] })], more))
    expect(all.slice(all.indexOf(start!) + 1, all.indexOf('\nrecord 1: a good rsa key of 2048 bits'))).toEqual(expected)
  })

  test('says of each record what it is, and the correct one where that is known', () => {
    const mistyped = ONE.record.replace(';', ';;')
    const { records, status } = report(found('v=spf1 -all', mistyped, 'v=DKIM1; p='))
    expect([status, records.map(({ is }) => is.replace(/:.*/s, ''))]).toEqual([
      'unusable',
      ['not a key record', 'key-malformed', 'key-revoked']
    ])
    // The record and its correct form have lines of their own.
    expect(records[1]!.is).toBe('key-malformed: the key record is not a tag list; because a tag is empty')
    expect(records.map(record => 'corrected' in record)).toEqual([false, true, false])
    expect(linesOf(found(mistyped)).filter(line => line.startsWith('  corrected record: '))).toHaveLength(1)
  })

  test.each<[string, Reply, status: string, problem: string | undefined]>([
    ['has a good key beside another', found(TWO.record, 'v=DKIM1; p='), 'usable', undefined],
    [
      'has no record',
      fail('key-not-found', { name: NAME, reason: 'ENOTFOUND' } as never),
      'unusable',
      'key-not-found: '
    ],
    [
      'fails',
      fail('key-lookup-failed', { name: NAME, error: 'ESERVFAIL', problem: 'threw' }),
      'unavailable',
      'key-lookup-failed: '
    ]
  ])('has the status of a resolver that %s', (_, reply, status, problem) => {
    const found = report(reply)
    expect([found.status, found.problem?.slice(0, problem?.length), found.trace]).toEqual([status, problem, undefined])
    expect(linesOf(reply).some(line => line.startsWith('  problem: '))).toBe(problem !== undefined)
  })

  test('is printable ASCII, whatever a name server says', () => {
    const text = linesOf(found('v=DKIM1\x1b[2J'), trace([at(1, { alias: 'a\x9b.example' })])).join('\n')
    expect(text).toMatch(/^[ -~\n]*$/)
    expect(text).toContain('an alias of a\\x9b.example')
  })
})
