import { gzipSync } from 'node:zlib'
import { type Diagnosis, dnsTxtLookup, logRecord, type ReceivedRequest, type VerifierOptions } from 'signed-requests'
import { expect, test } from 'vitest'
import { runInside } from '../../../test/support/run-cli.ts'
import { service, withHeaders } from '../../../test/support/service.ts'
import { send } from '../../../test/support/wire.ts'
import { createRequestLog } from '../../src/request-log.ts'
import { startWithAdmin } from '../support/admin.ts'

/** Drops facts that only the gateway's machine knows: its DNS servers, and the error of a lookup. */
const withoutMachine = ({ failures, ...diagnosis }: Diagnosis) => ({
  ...diagnosis,
  failures: failures.map(failure => ({
    ...failure,
    fix: failure.fix.replace(' --dns-server 127.0.0.1:9', ''),
    facts: failure.facts.filter(({ id }) => id !== 'thrown' && id !== 'servers')
  }))
})

const sign = (request: Refused['signed'] = {}) =>
  service.sign({ target: '/hook?id=1', body: '{"price":1.50}', ...request })

interface Refused {
  signed?: Parameters<typeof service.sign>[0]
  /** changes on the way: header lines, and anything else */
  lines?: Readonly<Record<string, string | undefined>>
  changed?: Partial<ReceivedRequest>
  verifier?: Partial<VerifierOptions>
  https?: boolean | 'x-forwarded-proto'
  times?: number
}

const NO_DNS = dnsTxtLookup({ servers: ['127.0.0.1:9'], tries: 1 })
const SCANNER: ReceivedRequest = {
  ...sign(),
  method: 'GET',
  target: '/.env',
  headers: [['Host', 'a.example']],
  body: null
}
const LONG = `{"a":"${'b'.repeat(200)}"}`

/** Not a Date: the command judges a recording by the receiver's clock, and says so; the receiver calls it its own. */
const REFUSED: Readonly<Record<string, Refused>> = {
  'not-https': { https: 'x-forwarded-proto' },
  'not-https, http': { lines: { 'X-Forwarded-Proto': 'http' }, https: 'x-forwarded-proto' },
  'not-https, claimed': { lines: { 'X-Forwarded-Proto': 'https' }, https: false },
  'date-missing': { lines: { Date: undefined } },
  'host-mismatch': { signed: { host: '10.0.0.5:3000' } },
  'host-mismatch, claimed': { signed: { host: '10.0.0.5:3000' }, lines: { 'X-Forwarded-Host': 'receiver.example' } },
  'account-missing': { lines: { 'X-Service-ID': undefined, 'X-Acme-ID': 'account-1234' } },
  'account-mismatch': { signed: { headers: { 'X-Service-ID': 'account-99' } } },
  'signature-missing': { lines: { Signature: undefined } },
  'signature-missing, unsigned': { changed: SCANNER },
  'signature-malformed': { signed: { scheme: 'rfc9421' } },
  'coverage-absent': { lines: { 'X-Nonce': undefined } },
  'key-name-outside-domain': { verifier: { serviceDomain: 'other.example' } },
  'key-not-found': { verifier: { lookupTxt: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })) } },
  'key-lookup-failed': { verifier: { lookupTxt: NO_DNS } },
  'key-revoked': { verifier: { lookupTxt: async () => [['v=DKIM1; p=']] } },
  'key-too-short': { verifier: { minRsaBits: 4096 } },
  'signature-mismatch, prefix': { signed: { target: '/hooks/in' }, changed: { target: '/in' } },
  'signature-mismatch, original': { lines: { 'X-Original-URI': '/hook?id=1' }, changed: { target: '/index.php' } },
  'signature-mismatch, unknown': { changed: { target: '/quite/another' } },
  'digest-mismatch, re-serialized': {
    signed: { headers: { 'Content-Length': undefined } },
    changed: { body: Buffer.from('{"price":1.5}') }
  },
  'digest-mismatch, decompressed': {
    signed: { body: gzipSync(LONG), headers: { 'Content-Encoding': 'gzip' } },
    changed: { body: Buffer.from(LONG) }
  },
  replayed: { times: 2 }
}

test.each(Object.entries(REFUSED))(
  'the log, the page and the command explain in the same words: %s',
  async (name, { signed, lines: added = {}, changed, verifier, https = true, times = 1 }) => {
    const { address, exchanges, open } = await startWithAdmin({ verifier: { ...service.options, ...verifier }, https })
    const received = { ...withHeaders(sign(signed), added), ...changed }
    for (let i = 0; i < times; i++) await send(address, received)
    const { diagnosis, fixture } = (await open(times)).at(-1)
    const lines: string[] = []
    createRequestLog('text', text => lines.push(text))(exchanges.at(-1)!)
    const [line, ...log] = lines[0]!.trimEnd().split('\n')
    expect(line).toContain(name.split(',', 1)[0])
    // A request that is not signed under the domain has one line in the log, and its explanation on the page.
    const isOneLine = !logRecord(exchanges.at(-1)!.verdict).signedUnderDomain
    expect(log[0]).toBe(isOneLine ? undefined : `${diagnosis.status}: ${diagnosis.headline}`)

    const json = await runInside(['explain', '--json'], fixture)
    expect(withoutMachine(JSON.parse(json.stdout).diagnosis)).toEqual(withoutMachine(diagnosis))
    if (diagnosis.status === 'unavailable') return
    const text = await runInside(['explain'], fixture)
    if (!isOneLine) expect(text.stdout.trimEnd().split('\n')).toEqual(log)
  }
)
