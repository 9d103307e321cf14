import { gzipSync } from 'node:zlib'
import { type Diagnosis, dnsTxtLookup, type ReceivedRequest, type VerifierOptions } from 'signed-requests'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInside } from '../../../test/support/run-cli.ts'
import { service, withHeaders } from '../../../test/support/service.ts'
import { send } from '../../../test/support/wire.ts'
import { logText } from '../../src/log.ts'
import { type Application, startApplication, startTestGateway } from '../start.ts'
import { ask, listen } from '../support/admin.ts'

type SignOptions = Parameters<typeof service.sign>[0]
const sign = (request: SignOptions = {}) =>
  service.sign({ method: 'POST', target: '/hook?id=1', body: '{"price":1.50}', ...request })

/** Without what only the machine of the gateway knows: its DNS servers, and what a lookup threw. */
const withoutMachine = ({ failures, ...diagnosis }: Diagnosis) => ({
  ...diagnosis,
  failures: failures.map(failure => ({
    ...failure,
    fix: failure.fix.replace(' --dns-server 127.0.0.1:9', ''),
    facts: failure.facts.filter(({ name }) => !['thrown', 'asked'].includes(name))
  }))
})

const failing = (code: string) => () => Promise.reject(Object.assign(new Error('failed'), { code }))

interface Refused {
  request: () => ReceivedRequest
  verifier?: Partial<VerifierOptions>
  https?: boolean | 'x-forwarded-proto'
  times?: number
}

const REFUSED: Readonly<Record<string, Refused>> = {
  'not-https': { request: () => sign(), https: 'x-forwarded-proto' },
  'not-https, http': {
    request: () => withHeaders(sign(), { 'X-Forwarded-Proto': 'http' }),
    https: 'x-forwarded-proto'
  },
  'not-https, claimed': { request: () => withHeaders(sign(), { 'X-Forwarded-Proto': 'https' }), https: false },
  'date-too-old': { request: () => sign({ date: Date.now() - 600_000 }), verifier: { dateTolerance: 300 } },
  'date-in-future': { request: () => sign({ date: Date.now() + 600_000 }), verifier: { dateTolerance: 300 } },
  'date-missing': { request: () => withHeaders(sign(), { Date: undefined }) },
  'host-mismatch': { request: () => sign({ host: '10.0.0.5:3000' }) },
  'host-mismatch, claimed': {
    request: () => withHeaders(sign({ host: '10.0.0.5:3000' }), { 'X-Forwarded-Host': 'receiver.example' })
  },
  'account-missing': { request: () => withHeaders(sign(), { 'X-Service-ID': undefined, 'X-Acme-ID': 'account-1234' }) },
  'account-mismatch': { request: () => sign({ headers: { 'X-Service-ID': 'account-99' } }) },
  'signature-missing': { request: () => withHeaders(sign(), { Signature: undefined }) },
  'signature-missing, unsigned': {
    request: () => ({ method: 'GET', target: '/.env', headers: [['Host', 'a.example']], body: null, https: false })
  },
  'signature-malformed': { request: () => sign({ scheme: 'rfc9421' }) },
  'coverage-absent': { request: () => withHeaders(sign(), { 'X-Nonce': undefined }) },
  'key-name-outside-domain': { request: () => sign(), verifier: { serviceDomain: 'other.example' } },
  'key-not-found': { request: () => sign(), verifier: { lookupTxt: failing('ENOTFOUND') } },
  'key-lookup-failed': {
    request: () => sign(),
    verifier: { lookupTxt: dnsTxtLookup({ servers: ['127.0.0.1:9'], tries: 1 }) }
  },
  'key-revoked': { request: () => sign(), verifier: { lookupTxt: async () => [['v=DKIM1; p=']] } },
  'key-too-short': { request: () => sign(), verifier: { minRsaBits: 4096 } },
  'signature-mismatch, prefix': { request: () => ({ ...sign({ target: '/hooks/in' }), target: '/in' }) },
  'signature-mismatch, original': {
    request: () => withHeaders({ ...sign(), target: '/index.php' }, { 'X-Original-URI': '/hook?id=1' })
  },
  'signature-mismatch, unknown': { request: () => ({ ...sign(), target: '/quite/another' }) },
  'digest-mismatch, re-serialized': {
    request: () => ({ ...sign({ headers: { 'Content-Length': undefined } }), body: Buffer.from('{"price":1.5}') })
  },
  'digest-mismatch, decompressed': {
    request: () => {
      const text = `{"a":"${'b'.repeat(200)}"}`
      const signed = sign({ body: gzipSync(text), headers: { 'Content-Encoding': 'gzip' } })
      return { ...signed, body: Buffer.from(text) }
    }
  },
  replayed: { request: () => sign(), times: 2 }
}

let application: Application
beforeAll(async () => {
  application = await startApplication()
})
afterAll(() => application.close())

test.each(Object.entries(REFUSED))('%s', async (name, { request, verifier, https = true, times = 1 }) => {
  const gateway = await startTestGateway(application.url, {
    admin: { address: { host: '127.0.0.1', port: 0 }, token: undefined, redact: false },
    verifier: { ...service.options, ...verifier },
    https
  })
  try {
    const received = request()
    for (let i = 0; i < times; i++) await send(gateway.address, received)
    const exchange = (await gateway.over(times)).at(-1)!
    const [line, ...log] = logText(exchange, 'text').trimEnd().split('\n')
    expect(line).toContain(name.split(',', 1)[0])

    const port = Number(new URL(`http://${gateway.admin}`).port)
    const page = listen(port)
    await page.hasRows(times)
    page.stop()
    const { body } = await ask(port, `/requests/${page.rows().at(-1)!.number}`)
    const { diagnosis, fixture } = JSON.parse(body)
    expect(log[0]).toBe(`${diagnosis.status}: ${diagnosis.headline}`)

    const json = await runInside(['explain', '--json'], fixture)
    expect(withoutMachine(JSON.parse(json.stdout).diagnosis)).toEqual(withoutMachine(diagnosis))
    if (diagnosis.status === 'unavailable') return
    const text = await runInside(['explain'], fixture)
    expect(text.stdout.trimEnd().split('\n')).toEqual(log)
  } finally {
    await gateway.close()
  }
})
