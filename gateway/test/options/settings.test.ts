import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { authorizerSettingsOf } from '../../src/options/authorize.ts'
import { parseAuthorize, parseGateway } from '../../src/options/command-line.ts'
import { settingsOf } from '../../src/options/settings.ts'

afterEach(() => void vi.restoreAllMocks())

const NEEDED = '--domain service.example --host a.example --account 1'

function settings(flags: string, env: Record<string, string> = {}) {
  const given = parseGateway(`--upstream http://127.0.0.1:9000 ${NEEDED} ${flags}`.split(' '), env)
  if (given.asked !== undefined) throw new Error(`${given.asked} was asked for`)
  return settingsOf(given)
}

function authorizerSettings(flags: string) {
  const given = parseAuthorize(`${NEEDED} ${flags}`.split(' '), {})
  if (given.asked !== undefined) throw new Error(`${given.asked} was asked for`)
  return authorizerSettingsOf(given)
}

test.each([
  ['127.0.0.1:65535', '127.0.0.1', 65_535],
  ['[::1]:0', '::1', 0]
])('--listen %s is the address %s and the port %i', (text, host, port) => {
  expect(settings(`--listen ${text}`).listen).toEqual({ host, port })
})

test.each(
  '127.0.0.1:8080x x[::1]:80 127.0.0.1:65536 [127.0.0.1]:80 ::1:80 localhost:80 127.0.0.1: 127.0.0.1 8080 [a]:1'.split(
    ' '
  )
)('--listen %s is not an IP address and a port', text => {
  expect(() => settings(`--listen ${text}`)).toThrow(
    /^--listen must be an IP address and a port, such as 127\.0\.0\.1:8080 or \[::1\]:8080$/
  )
})

test.each([
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['127.0.0.1:8080', 'https://localhost:8080'],
  ['127.0.0.1:8080', 'http://0.0.0.0:8080'],
  ['127.0.0.1:80', 'http://localhost'],
  ['127.0.0.1:443', 'https://localhost'],
  ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
  ['0.0.0.0:8080', 'http://localhost:8080'],
  ['0.0.0.0:8080', 'http://127.0.0.5:8080'],
  ['10.0.0.1:8080', 'http://10.0.0.1:8080'],
  ['[::1]:8080', 'http://[::1]:8080'],
  ['[::1]:8080', 'http://[::]:8080'],
  ['[::1]:8080', 'http://localhost:8080'],
  ['[::]:8080', 'http://[::1]:8080'],
  ['[::]:8080', 'http://127.0.0.1:8080'],
  ['[::]:8080', 'http://127.0.0.5:8080'],
  ['[::]:80', 'http://localhost']
])('an upstream that is the gateway itself at --listen %s is a mistake: %s', (listen, upstream) => {
  const message = '--upstream is the gateway itself: it has the address of --listen'
  expect(() => settings(`--listen ${listen} --upstream ${upstream}`)).toThrow(message)
})

test('a gateway refuses by default, and its page shows values; --prefix may be from a header', () => {
  const { observe, admin, prefix } = settings('--admin 127.0.0.1:0 --prefix x-forwarded-prefix')
  expect([observe, admin?.redact, prefix]).toEqual([false, false, 'x-forwarded-prefix'])
  expect(settings('--admin 127.0.0.1:0 --redact --observe')).toMatchObject({ observe: true, admin: { redact: true } })
})

test('HTTPS is required unless --https says not-required', () => {
  const requiredWith = (flags: string) => settings(flags).verifier.requireHttps
  expect(['--https not-required', '--https always', '--log json'].map(requiredWith)).toEqual([false, true, true])
})

const PEM = 'fixtures/source/keys/one.pem'

test.each([
  [`--tls-key ${PEM}`, '--tls-key and --tls-cert need each other'],
  [`--tls-cert ${PEM}`, '--tls-key and --tls-cert need each other'],
  [`--tls-key /none --tls-cert ${PEM}`, '--tls-key cannot be read: ENOENT'],
  [`--tls-key ${PEM} --tls-cert /none`, '--tls-cert cannot be read: ENOENT'],
  [`--tls-key ${PEM} --tls-cert ${PEM}`, '--tls-key and --tls-cert are not a private key and its certificate in PEM'],
  ['--redis user:secret@127.0.0.1', '--redis must be a redis: URL'],
  ['--redis redis.example:6379/1', '--redis must be a redis: URL: write redis://redis.example:6379/1'],
  ['--redis localhost:6379', '--redis must be a redis: URL: write redis://localhost:6379'],
  ['--redis http://127.0.0.1', '--redis must be a redis: URL'],
  ['--postgres db.example/a', '--postgres must be a postgres: URL: write postgres://db.example/a'],
  ['--postgres redis://127.0.0.1', '--postgres must be a postgres: URL']
])('%s is a mistake that says what is wrong, and no more', (flags, message) => {
  expect(() => settings(flags)).toThrow(new RegExp(`^${message}$`))
})

test('an admin address that is not loopback is allowed with a token', () => {
  const { admin } = settings('--admin 0.0.0.0:9901', { SIGNED_REQUESTS_ADMIN_TOKEN: 'secret' })
  expect(admin).toMatchObject({ address: { host: '0.0.0.0' }, token: 'secret' })
})

test.each([
  ['10.0.0.0:8080', 'http://127.0.0.1:8080'],
  ['127.0.0.1:8080', 'http://127.0.0.10:8080'],
  ['127.0.0.1:8080', 'http://localhost.example:8080'],
  ['[::1]:8080', 'http://[::12]:8080'],
  ['127.0.0.1:8080', 'http://127.0.0.1:9000'],
  ['127.0.0.1:8080', 'http://[::1]:8080'],
  ['127.0.0.1:8080', 'http://app:8080'],
  ['127.0.0.1:80', 'https://127.0.0.1'],
  ['0.0.0.0:8080', 'http://192.0.2.1:8080'],
  ['0.0.0.0:8080', 'http://[::1]:8080']
])('an upstream that is not at the address of --listen %s is good: %s', (listen, upstream) => {
  expect(settings(`--listen ${listen} --upstream ${upstream}`).upstream).toEqual(new URL(upstream))
})

test.each(['user:1secret@127.0.0.1', '127.0.0.1:9000secret', '127.0.0.1:9000?a=secret'])(
  'an upstream that is not an address with a port gets no hint that repeats it: %s',
  upstream => {
    expect(() => settings(`--upstream ${upstream}`)).toThrow(/ a query or a password$/)
  }
)

test.each([
  ['redis', 'redis://127.0.0.1:1'],
  ['redis', 'rediss://redis.example/2'],
  ['postgres', 'postgres://127.0.0.1/a'],
  ['postgres', 'postgresql://127.0.0.1/a?sslmode=require']
])('a URL for --%s without a password may be an argument: %s', (kind, url) => {
  expect(settings(`--${kind} ${url}`).replay).toEqual({ kind, url })
})

test('each limit in bytes says its unit, and a value as an example', () => {
  const message = '--max-body must be a whole number of bytes, such as 1048576 for 1 MiB, from 0 to 1073741824'
  expect(() => settings('--max-body 1MiB')).toThrow(message)
})

test('--from x-forwarded takes HTTPS from the proxy, and from no other flag', () => {
  expect(() => authorizerSettings('--from x-forwarded --https always')).toThrow('leave out --https always and --prefix')
  expect(authorizerSettings('--from x-forwarded --https x-forwarded-proto')).toMatchObject({ from: 'x-forwarded' })
  expect(authorizerSettings('--from as-is --https always')).toMatchObject({ from: 'as-is', https: true })
})

test('--sqlite needs a folder that is there, and the message does not repeat its value', () => {
  // Node.js 20 has no node:sqlite.
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue({} as never)
  const folder = mkdtempSync(join(tmpdir(), 'signed-requests-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const url = join(folder, 'claims.db')
  expect(settings(`--sqlite ${url}`).replay).toEqual({ kind: 'sqlite', url })
  const message = '--sqlite: its folder does not exist: make it, and let the gateway write there'
  for (const file of [join(folder, 'none', 'claims.db'), 'postgres://user:secret@127.0.0.1/a'])
    expect(() => settings(`--sqlite ${file}`)).toThrow(message)
})

test('--sqlite says which Node.js it needs where SQLite is missing', () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
  expect(() => settings('--sqlite claims.db')).toThrow('--sqlite needs Node.js 22.13 or later')
})
