import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../cli/captures/capture.ts'
import { conclude } from '../../../cli/key/conclude.ts'
import { reportOn } from '../../../cli/key/report.ts'
import { parseSigned } from '../../../cli/key/signed-by.ts'
import type { ServerReport, Trace } from '../../../cli/key/trace.ts'
import { ONE, TWO } from '../../../fixtures/source/keys.ts'
import { fail, ok } from '../../../src/result/result.ts'
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
  hops: [{ name: NAME, zone: ZONE, servers }],
  isEndless: false,
  misplaced: undefined,
  isCut: false,
  ...more
})
const NOWHERE: Partial<Trace> = { hops: [{ name: NAME, servers: [] }] }

const KEY = [ONE.record]
const say = (texts: readonly string[], error: string | undefined, trace?: Trace) => conclude(texts, error, {}, trace)

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
  expect(say(KEY, undefined, bogus).kind).toBe('published')
})
