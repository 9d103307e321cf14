import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '../../../test/support/https.ts'
import { runInside } from '../../../test/support/run-cli.ts'
import { GATEWAY_OPTIONS } from '../../src/cli/flags.ts'
import { type Flags, givenOptions } from '../../src/cli/given-options.ts'
import { validateSettings } from '../../src/cli/validate-settings.ts'

let folder: string
const write = (name: string, content: unknown) => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signed-requests-options-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const NEEDED: Flags = {
  upstream: 'http://127.0.0.1:9000',
  domain: 'service.example',
  host: ['a.example'],
  account: ['1'],
  https: 'always'
}
const settingsOf = (flags: Flags, env: Record<string, string> = {}) =>
  validateSettings(givenOptions({ ...NEEDED, ...flags }, env))

describe('defaults', () => {
  it('listens on loopback, remembers in memory, refuses, logs JSON, shows no page', () => {
    expect(settingsOf({})).toMatchObject({
      listen: { host: '127.0.0.1', port: 8080 },
      upstreamTimeout: 30_000,
      tls: undefined,
      https: true,
      verifier: { requireHttps: true, maxBodyBytes: 10_485_760 },
      replay: { kind: 'memory' },
      observe: false,
      log: 'json',
      admin: undefined,
      maxConnections: 1000,
      drain: 10_000
    })
  })
})

describe('where an option may be set', () => {
  it('an argument overrides the environment, which overrides the file', () => {
    const config = write('order.json', { drain: 1, 'max-connections': 2, 'max-body': 3, replay: 'none' })
    const env = {
      SIGNED_REQUESTS_MAX_CONNECTIONS: '4',
      SIGNED_REQUESTS_MAX_BODY: '5',
      SIGNED_REQUESTS_CONFIG: config
    }
    const { drain, maxConnections, verifier } = settingsOf({ 'max-body': '6' }, env)
    expect([drain, maxConnections, verifier.maxBodyBytes]).toEqual([1, 4, 6])
  })

  it('every option can be an environment variable, except those of one run', () => {
    for (const [name, { type }] of Object.entries(GATEWAY_OPTIONS)) {
      const variable = `SIGNED_REQUESTS_${name.toUpperCase().replaceAll('-', '_')}`
      const env = { [variable]: type === 'boolean' ? 'true' : join(folder, 'empty.json') }
      write('empty.json', {})
      if (name === 'check' || name === 'help') expect(() => givenOptions({}, env)).toThrow(variable)
      else expect(givenOptions({}, env).get(name)).toMatchObject({ where: variable })
    }
  })

  it('all of them can be in a file', () => {
    const config = write('all.json', {
      upstream: 'http://[::1]:9000',
      domain: 'service.example',
      host: ['a.example', 'b.example'],
      account: '7',
      https: 'x-forwarded-proto',
      observe: true,
      'upstream-timeout': 99,
      'dns-server': ['127.0.0.1:5353'],
      redis: 'redis://user:secret@127.0.0.1/2',
      admin: '127.0.0.1:9901',
      'admin-token': 'secret',
      redact: true
    })
    expect(validateSettings(givenOptions({ config }, {}))).toMatchObject({
      upstream: new URL('http://[::1]:9000'),
      upstreamTimeout: 99,
      https: 'x-forwarded-proto',
      verifier: { hosts: ['a.example', 'b.example'], accounts: ['7'], lookupTxt: expect.any(Function) },
      observe: true,
      replay: { kind: 'redis', url: 'redis://user:secret@127.0.0.1/2' },
      admin: { address: { host: '127.0.0.1', port: 9901 }, token: 'secret', redact: true }
    })
  })

  it('splits a variable at commas into several values', () => {
    const { verifier } = settingsOf({ account: undefined }, { SIGNED_REQUESTS_ACCOUNT: '1, 2,3' })
    expect(verifier.accounts).toEqual(['1', '2', '3'])
  })
})

describe('mistakes are named', () => {
  it.each([
    [{ upstream: undefined }, '--upstream is missing: where verified requests go'],
    [{ domain: undefined }, "--domain is missing: the service's domain"],
    [{ host: undefined }, '--host is missing: the host name of the receiver'],
    [{ account: undefined }, '--account is missing: the account id to accept'],
    [{ https: 'yes' }, '--https must be one of x-forwarded-proto, always, not-required'],
    [{ upstream: 'http://a.example/app' }, '--upstream must be an http or https URL without a path'],
    [{ upstream: 'http://a.example/?' }, '--upstream must be an http or https URL without a path'],
    [{ upstream: 'http://u:p@a.example' }, '--upstream must be an http or https URL without a path'],
    [{ upstream: 'ftp://a.example' }, '--upstream must be an http or https URL without a path'],
    [{ upstream: '127.0.0.1:9000' }, '--upstream must be an http or https URL without a path'],
    [{ listen: '8080' }, '--listen must be an IP address and a port'],
    [{ listen: 'localhost:8080' }, '--listen must be an IP address and a port'],
    [{ listen: '127.0.0.1:65536' }, '--listen must be an IP address and a port'],
    [{ listen: '[127.0.0.1]:1' }, '--listen must be an IP address and a port'],
    [{ drain: '1.5' }, '--drain must be a whole number from 0 to 2147483647'],
    [{ drain: '' }, '--drain must be a whole number'],
    [{ 'upstream-timeout': '2147483648' }, '--upstream-timeout must be a whole number'],
    [{ log: 'xml' }, '--log must be one of json, text'],
    [{ replay: 'redis' }, '--replay must be one of memory, none'],
    [{ replay: 'memory', redis: 'redis://a' }, 'only one of --redis, --postgres and --replay'],
    [{ redis: 'http://127.0.0.1' }, '--redis is not a redis: URL'],
    [{ postgres: 'redis://127.0.0.1' }, '--postgres is not a postgres: URL'],
    [
      { admin: '0.0.0.0:9901' },
      '--admin on an address that is not loopback needs SIGNED_REQUESTS_ADMIN_TOKEN'
    ],
    [{ admin: '[::]:9901' }, '--admin on an address that is not loopback needs SIGNED_REQUESTS_ADMIN_TOKEN'],
    [{ 'tls-key': 'a.pem' }, '--tls-key needs --tls-cert'],
    [{ 'tls-cert': 'a.pem' }, '--tls-cert needs --tls-key'],
    [{ 'tls-key': '/no/such', 'tls-cert': '/no/such' }, 'cannot read /no/such: ENOENT'],
    [{ config: '/no/such' }, 'cannot read /no/such: ENOENT'],
    [{ 'dns-server': ['x'] }, 'servers must be IP addresses'],
    [{ domain: 'example' }, 'serviceDomain is "example", a single label'],
    [{ algorithm: ['rsa-md5'] }, 'algorithms is ["rsa-md5"]']
  ] as [Flags, string][])('%j', (flags, message) => {
    expect(() => settingsOf(flags)).toThrow(message)
  })

  it.each([
    [{ SIGNED_REQUESTS_MAXBODY: '1' }, 'there is no environment variable SIGNED_REQUESTS_MAXBODY'],
    [{ 'SIGNED_REQUESTS_MAX-BODY': '1' }, 'there is no environment variable SIGNED_REQUESTS_MAX-BODY'],
    [{ SIGNED_REQUESTS_max_body: '1' }, 'there is no environment variable SIGNED_REQUESTS_max_body'],
    [{ SIGNED_REQUESTS_CONSTRUCTOR: '1' }, 'there is no environment variable'],
    [{ SIGNED_REQUESTS_REDIS: '' }, 'SIGNED_REQUESTS_REDIS is empty: set it, or unset it'],
    [{ SIGNED_REQUESTS_OBSERVE: '1' }, 'SIGNED_REQUESTS_OBSERVE must be true or false'],
    [{ SIGNED_REQUESTS_MAX_CONNECTIONS: 'x' }, 'SIGNED_REQUESTS_MAX_CONNECTIONS must be a whole number'],
    [{ SIGNED_REQUESTS_ADMIN_TOKEN: '' }, 'SIGNED_REQUESTS_ADMIN_TOKEN is empty']
  ])('%j', (env, message) => {
    expect(() => settingsOf({}, env)).toThrow(message)
  })

  it.each([
    ['[]', 'is not a JSON object'],
    ['{"redis":"redis://u:secret@h"', 'is not a JSON object'],
    ['{"max_body":1}', 'there is no option "max_body"'],
    ['{"--drain":1}', 'there is no option "--drain"'],
    ['{"__proto__":{}}', 'there is no option "__proto__"'],
    ['{"config":"x"}', 'there is no option "config"'],
    ['{"check":true}', 'there is no option "check"'],
    ['{"observe":"true"}', 'is not true or false'],
    ['{"account":1234}', 'is not a string or an array of strings'],
    ['{"account":["1",2]}', 'is not a string or an array of strings'],
    ['{"drain":"1","max-body":true}', 'is not a number'],
    ['{"domain":["a.example"]}', 'is not a string'],
    ['{"admin-token":""}', 'is not a string']
  ])('the file %s', (text, message) => {
    const config = write('mistake.json', text)
    expect(() => settingsOf({ config })).toThrow(message)
  })

  it('an https option together with a TLS key', async () => {
    const { key, cert } = await makeCertificate('a.example')
    const files = { 'tls-key': write('key.pem', key), 'tls-cert': write('cert.pem', cert) }
    expect(settingsOf({ ...files, https: undefined }).tls).toBeDefined()
    expect(() => settingsOf(files)).toThrow('--https is for a proxy in front that ends TLS')
    const other = { ...files, 'tls-cert': write('other.pem', (await makeCertificate('a.example')).cert) }
    expect(() => settingsOf({ ...other, https: undefined })).toThrow(
      'are not a private key and its certificate'
    )
  })
})

describe('secrets', () => {
  it.each([
    [{ redis: 'redis://user:secret@127.0.0.1' }, '--redis with a password'],
    [{ redis: 'redis://127.0.0.1?password=secret' }, '--redis with a password'],
    [{ postgres: 'postgres://user:secret@127.0.0.1/a' }, '--postgres with a password'],
    [{ postgres: 'postgres://127.0.0.1/a?sslpassword=secret' }, '--postgres with a password']
  ] as [Flags, string][])('%j is refused as an argument, and not printed', (flags, message) => {
    const error = (() => {
      try {
        settingsOf(flags)
      } catch (caught) {
        return caught as Error
      }
      return undefined
    })()
    expect(error?.message).toContain(message)
    expect(error?.message).not.toContain('secret')
  })

  it('are taken from the environment', () => {
    const url = 'postgres://user:secret@127.0.0.1/a'
    expect(settingsOf({}, { SIGNED_REQUESTS_POSTGRES: url }).replay).toEqual({ kind: 'postgres', url })
  })

  it('the admin token is not accepted as an argument', async () => {
    const { code, stderr } = await runInside(['gateway', '--admin-token', 'secret'])
    expect([code, stderr]).toEqual([64, "signed-requests: Unknown option '--admin-token'\n"])
  })
})

describe('--check', () => {
  const ARGS = Object.entries(NEEDED).flatMap(([name, value]) => [`--${name}`, `${value}`])

  it('ends with 0 when the options are good', async () => {
    const finished = await runInside(['gateway', ...ARGS, '--check'])
    expect(finished).toEqual({ code: 0, stdout: 'the options are good\n', stderr: '' })
  })

  it('says that nothing can count as HTTPS', async () => {
    const without = Object.entries({ ...NEEDED, https: undefined }).filter(([, value]) => value !== undefined)
    const args = without.flatMap(([name, value]) => [`--${name}`, `${value}`])
    const { code, stderr } = await runInside(['gateway', ...args, '--check'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^every request will be refused, as none can count as HTTPS: .* --https\n$/)
  })

  it('ends with 64 and one line when they are not', async () => {
    const finished = await runInside(['gateway', ...ARGS, '--check', '--drain', 'x'])
    expect(finished.code).toBe(64)
    expect(finished.stderr).toMatch(/^signed-requests: --drain must be a whole number .*\n$/)
  })
})
