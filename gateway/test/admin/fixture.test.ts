import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { draftCavage } from '../../../src/draft-cavage/index.ts'
import { createVerifier, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { runInside } from '../../../test/support/run-cli.ts'
import { explainCommand } from '../../src/admin/explain-command.ts'
import { fixtureOf } from '../../src/admin/fixture.ts'
import { createRecent, cutDown } from '../../src/admin/recent.ts'
import type { Exchange } from '../../src/exchange.ts'
import { service } from '../support/admin.ts'
import { exchangeOf, withHeader } from '../support/exchanges.ts'

const folder = mkdtempSync(join(tmpdir(), 'signed-requests-'))
afterAll(() => rmSync(folder, { recursive: true }))

const NOW = Date.parse('2026-11-20T12:00:00.500Z')
const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ method: 'POST', target: '/hook?id=42', body: '{"id":1}', date: new Date(NOW), ...more })

interface Setting {
  options?: Partial<VerifierOptions>
  redact?: boolean
  dns?: Record<string, string[][]>
  changes?: Partial<Exchange>
}

async function capture(request: ReceivedRequest, { options, redact = false, dns, changes }: Setting = {}) {
  const verifier = { ...service.options, now: () => NOW, ...options }
  const exchange = await exchangeOf(request, verifier, changes)
  const recent = createRecent()
  recent.keep(cutDown(exchange, redact))
  const answers = new Map(Object.entries(dns ?? service.records))
  const fixture = await fixtureOf(recent.get(1)!, { verifier, redact, dns: answers })
  return { exchange, verifier, fixture }
}

/** What the command says, as a shell would read it. */
async function run(command: string, json: string) {
  writeFileSync(join(folder, 'request-1.json'), json)
  const shell = spawnSync('sh', ['-c', `npx() { for a; do printf '%s\\0' "$a"; done; }; ${command}`], {
    encoding: 'utf8'
  })
  expect(shell.stderr).toBe('')
  const [name, ...args] = shell.stdout.split('\0').slice(0, -1)
  expect([name, args[0], args[1]]).toEqual(['signed-requests', 'explain', 'request-1.json'])
  const { code, stdout } = await runInside([
    'explain',
    join(folder, 'request-1.json'),
    ...args.slice(2),
    '--json'
  ])
  const { status, failures } = JSON.parse(stdout) as { status: string; failures: { code: string }[] }
  return { exit: code, status, codes: failures.map(failure => failure.code) }
}

const judged = ({ verdict }: Exchange) => ({
  exit: { verified: 0, rejected: 1, unavailable: 2 }[verdict.status],
  status: verdict.status,
  codes: verdict.failures.map(({ code }) => code)
})

const store = (claim: () => Promise<boolean>) => ({ replayStore: { claim, release: async () => {} } })
const bare = (request: ReceivedRequest, headers: [string, string][]) => ({ ...request, headers, body: null })

const CASES: readonly [name: string, ReceivedRequest, Setting?][] = [
  ['verified', sign()],
  ['verified by RFC 9421', sign({ scheme: 'rfc9421' }), { options: { schemes: [draftCavage, rfc9421] } }],
  ['a body with bytes of any kind', sign({ body: Buffer.from([0, 0xff, 0xc3, 0x28]) })],
  ['no body', service.sign({ date: new Date(NOW) })],
  ['replayed', sign(), { options: store(async () => false) }],
  ['a store that is down', sign(), { options: store(() => Promise.reject(new Error('down'))) }],
  ['another host', withHeader(sign(), 'Host', 'other.example')],
  ['a changed target', { ...sign(), target: '/hook' }],
  ['a changed body', { ...sign(), body: Buffer.from('{"id":2}') }],
  [
    'a body that is too large',
    { ...sign(), body: Buffer.from('{"id":1}') },
    { options: { maxBodyBytes: 4 } }
  ],
  [
    'a scanner',
    bare(sign(), [
      ['Host', 'other.example'],
      ['User-Agent', 'x']
    ])
  ],
  ['a line break in a header', withHeader(sign(), 'X-Nonce', 'a\r\nb')],
  [
    'bytes above ASCII, and lone surrogates',
    { ...withHeader(sign(), 'X-Nonce', 'é\ud800'), target: '/\udfff' }
  ],
  ['an old Date', sign({ date: new Date(NOW - 3_600_000) })],
  ['a Date that is too old by half a second', sign({ date: new Date('2026-11-20T11:55:00Z') })],
  ['a Date that is in time by half a second', sign({ date: new Date('2026-11-20T11:55:01Z') })],
  ['a Date in the future by half a second', sign({ date: new Date('2026-11-20T12:05:01Z') })],
  ['a Date that is in time ahead', sign({ date: new Date('2026-11-20T12:05:00Z') })],
  ['without HTTPS', { ...sign(), https: false }],
  ['without HTTPS, which is not required', { ...sign(), https: false }, { options: { requireHttps: false } }],
  ['another account', sign(), { options: { accounts: ['-9', "it's", '$(id)'] } }],
  ['another prefix', sign(), { options: { accountPrefix: '' } }],
  ['another domain', sign(), { options: { serviceDomain: 'other.example' } }],
  [
    'no key',
    sign(),
    {
      options: { lookupTxt: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })) },
      dns: {}
    }
  ],
  [
    'DNS that fails',
    sign(),
    {
      options: { lookupTxt: () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' })) },
      dns: {}
    }
  ],
  ['redacted and refused', { ...sign(), target: '/other' }, { redact: true }]
]

describe('the fixture, by the explain command as it is copied, gives the same codes for', () => {
  test.each(CASES)('%s', async (_, request, setting) => {
    const { exchange, verifier, fixture } = await capture(request, setting)
    expect(fixture?.json).toMatch(/^[\n -~]+$/)
    const command = explainCommand('request-1.json', fixture?.now ?? 0, verifier)
    expect(await run(command, fixture?.json ?? '')).toEqual(judged(exchange))
    expect((await runInside(['explain', join(folder, 'request-1.json')])).code).toBe(judged(exchange).exit)
  })
})

describe('there is no fixture', () => {
  test('when a body that decides was not kept', async () => {
    const changed = { ...sign(), body: Buffer.from('{"id":2}') }
    expect((await capture(changed, { changes: { body: undefined } })).fixture).toBeUndefined()
    expect((await capture(sign({ body: Buffer.alloc(65_537) }))).fixture).toBeUndefined()
  })

  test('when DNS has answered differently since', async () => {
    const other = service.records['key1._domainkey.service.example']![0]!.join('').replace('p=', 'p=AAAA')
    expect(
      (await capture(sign(), { dns: { 'key1._domainkey.service.example': [[other]] } })).fixture
    ).toBeUndefined()
  })

  test('with redact, when the body decides', async () => {
    expect((await capture(sign(), { redact: true })).fixture).toBeUndefined()
    const changed = { ...sign(), body: Buffer.from('{"id":2}') }
    expect((await capture(changed, { redact: true })).fixture).toBeUndefined()
  })
})

test('a fixture has only the DNS answers about its own key, and with redact no secret', async () => {
  const request = sign()
  const headers: [string, string][] = [...request.headers, ['Authorization', 'xyzzy']]
  const dns = { ...service.records, 'other.service.example': [['v=DKIM1; p=']] }
  const { fixture } = await capture({ ...request, headers, target: '/other' }, { redact: true, dns })
  expect(fixture?.json).not.toContain('xyzzy')
  expect(fixture?.json).not.toContain('other.service.example')
})

describe('the explain command', () => {
  const at = Date.parse('2026-11-20T12:00:00Z')
  const options = { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234' }

  test('is what a person would write', () => {
    expect(explainCommand('request-1.json', at, options)).toBe(
      'npx signed-requests explain request-1.json --domain=service.example --host=receiver.example --account=1234 ' +
        '--now=2026-11-20T12:00:00Z'
    )
  })

  test.each([
    "it's",
    '$(id)',
    '`id`',
    'a;b',
    '-x',
    'a b',
    '"',
    '\\',
    '\n',
    "'",
    '*',
    '~',
    '!x',
    '#x',
    'é',
    '&',
    '|',
    '>x'
  ])('passes the account %j through a shell unchanged', id => {
    const command = explainCommand('f', at, { ...options, accounts: [id, '1'] })
    const shell = spawnSync('sh', ['-c', `npx() { for a; do printf '%s\\0' "$a"; done; }; ${command}`], {
      encoding: 'utf8'
    })
    const args = shell.stdout.split('\0')
    expect(args.filter(arg => arg.startsWith('--account='))).toEqual([`--account=${id}`, '--account=1'])
    expect(command.split('\n').length).toBe(id === '\n' ? 2 : 1)
  })
})

test('what a fixture is judged by is the verifier’s own, without I/O', async () => {
  const { fixture } = await capture(sign())
  const document = JSON.parse(fixture?.json ?? '')
  expect(document.vectors).toHaveLength(1)
  expect(document.vectors[0]).toMatchObject({
    name: 'request-1',
    now: '2026-11-20T12:00:00Z',
    verdict: { status: 'verified' }
  })
  expect(createVerifier(document.vectors[0].options)).toBeTypeOf('function')
})
