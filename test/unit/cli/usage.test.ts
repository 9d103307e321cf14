import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runInside } from '../../support/run-cli.ts'
import { service } from '../../support/service.ts'
import { sniff } from '../../support/sniff.ts'

const [RECORD] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const capture = await sniff(service.sign({ target: '/hook?id=42' }))

describe('usage', () => {
  test.each([
    [['--help'], /Usage: signed-requests <command>/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['explain', '--help'], /Usage: signed-requests explain/],
    [['key', '-h'], /Usage: signed-requests key/],
    [['send', '--help'], /Usage: signed-requests send/],
    [['account', '--help'], /Usage: signed-requests account/]
  ])('%j prints help', async (args, help) => {
    const { code, stdout, stderr } = await runInside(args)
    expect(stdout).toMatch(help)
    expect([code, stderr]).toEqual([0, ''])
  })

  test.each([
    [[], 'a command is missing; see --help'],
    [['constructor'], 'there is no command "constructor"; see --help'],
    [['explain', '--nope'], 'there is no option --nope; see --help'],
    [
      ['explain', '/no/such/file'],
      "cannot read /no/such/file (FILE): ENOENT: no such file or directory, open '/no/such/file'"
    ],
    [['explain', '/'], 'cannot read / (FILE): EISDIR: illegal operation on a directory, read'],
    [['explain', 'a', 'b'], 'explain takes one FILE'],
    [['explain', ...FLAGS.slice(2)], 'missing: --domain; or set SIGNED_REQUESTS_DOMAIN; see --help'],
    [
      ['explain', ...FLAGS.slice(0, 2)],
      'missing: --host, --account; or set SIGNED_REQUESTS_HOST, SIGNED_REQUESTS_ACCOUNT; see --help'
    ],
    [['explain', '--domian', 'service.example'], 'there is no option --domian (did you mean --domain?); see --help'],
    [['explian'], 'there is no command "explian" (did you mean explain?); see --help'],
    [
      ['send', 'localhost:3000/hook'],
      'localhost:3000/hook is not an http or https URL: write http://localhost:3000/hook'
    ],
    [
      ['explain', ...FLAGS, '--algorithm', 'rsa-md5'],
      '--algorithm has "rsa-md5": it must be one of rsa-sha256, rsa-sha512, hs2019, ed25519, rsa-v1_5-sha256, rsa-pss-sha512'
    ],
    [
      ['explain', ...FLAGS, '--now', 'then'],
      '--now takes a time such as 2026-11-20T12:00:00Z, or "date" if the request has a good Date'
    ],
    [['explain', ...FLAGS, '--dns-server', 'x'], '--dns-server must be IP addresses, such as "127.0.0.1:5353"'],
    [
      ['explain', ...FLAGS, '--account', 'account-1'],
      '--account has "account-1": it has the prefix "account-" of --account-prefix, so write the id alone, "1"'
    ],
    [['key'], 'key takes one NAME or more'],
    [['key', 'a..b\x1b'], 'a..b\\x1b is not a DNS name'],
    [['send'], 'send takes one URL'],
    [['send', 'ftp://a.example'], 'ftp://a.example is not an http or https URL'],
    [
      ['send', 'https://a.example', '--allow-self-signed'],
      '--allow-self-signed is for loopback addresses; if a.example is a name of this machine: write https://localhost/ --host a.example'
    ],
    [
      ['send', 'http://a.example', '--serve-dns', '0.0.0.0:5353'],
      '--serve-dns takes a loopback address and a port: 127.0.0.1:5353 or [::1]:5353'
    ],
    [
      ['send', 'http://a.example', '--serve-dns', '[::]:5353'],
      '--serve-dns takes a loopback address and a port: 127.0.0.1:5353 or [::1]:5353'
    ],
    [
      ['send', 'http://a.example', '--serve-dns', '127.0.0.1:65536'],
      '--serve-dns takes a loopback address and a port: 127.0.0.1:5353 or [::1]:5353'
    ],
    [
      ['send', 'http://a.example', '--tamper', 'constructor'],
      '--tamper must be one of body, date, host, account, signature'
    ],
    [
      ['send', 'http://a.example', '--repeat', '0'],
      '--repeat takes a number from 1 to 999: how often to send the same bytes'
    ],
    [
      ['send', 'http://a.example', '--prefix', 'brand-'],
      '--prefix takes a path such as /hooks; the text before the account id is --account-prefix'
    ],
    [
      ['send', 'http://a.example', '--host', 'https://b.example/'],
      '--host takes a host name, such as hooks.example.com'
    ],
    [['account'], 'missing: --auth-url, --base-url; see --help'],
    [['account', '--token', 'x'], 'there is no option --token; see --help'],
    [
      ['send', 'http://a.example', '--serve-dns', 'localhost:53'],
      '--serve-dns takes a loopback address and a port: 127.0.0.1:5353 or [::1]:5353'
    ],
    [['send', 'http://a.example', '--header', 'x'], "--header takes 'NAME: TEXT'"]
  ])('%j is a mistake, in one line', async (args, message) => {
    // Without a key of its own, send makes one.
    const key = args[0] === 'send' ? ['--key', 'fixtures/source/keys/one.pem'] : []
    expect(await runInside([...args, ...key], capture)).toEqual({
      code: 64,
      stdout: '',
      stderr: `signed-requests: ${message}\n`
    })
  })

  test.each([
    ['{', 'the file looks like JSON but does not parse: line 1 is wrong; is the file cut off?'],
    ['{}', 'this is not a request in a format that is read here: raw HTTP/1.1'],
    ['{"method":"POST","url":"/"}', 'this is not a request in a format that is read here'],
    ['{"method":"POST","url":"/","headers":null}', 'this is not a request in a format that is read here'],
    ['{"options":{},"vectors":[{}]}', 'the request of the fixture is not as schema.json'],
    ['{"vectors":[]}', 'the fixture has no vectors'],
    ['{"vectors":[1]}', 'the request of the fixture is not as schema.json'],
    ['{"request":{"headers":"a: b","https":true}}', 'the request.headers of the fixture is not as'],
    ['{"request":{"headers":[],"https":true,"body":""}}', 'the request.body of the fixture is not as'],
    [
      '{"request":{"headers":[],"https":true,"body":{"utf8":"a","base64":"Yg=="}}}',
      'the request.body of the fixture is not as'
    ],
    ['{"request":{"headers":[]},"options":{}}', 'request.method must be a string, such as "POST"'],
    [
      '{"request":{"headers":[1],"method":"GET","target":"/","https":true}}',
      'headers must be an object of names and values, pairs, or { name, value }'
    ],
    [
      '{"request":{"headers":[]},"dns":{"a":[["v=DKIM1"]],"b":["v=DKIM1"]}}',
      'the dns of the fixture is not as schema.json of signed-requests-vectors says'
    ],
    ['{"request":{"headers":[]},"options":{},"now":"today"}', 'the now of the fixture is not as'],
    ['{"request":{"headers":[]},"options":{},"replayStore":"full"}', 'the replayStore of the fixture is not as'],
    ['{"request":{"headers":[],"body":"{}"},"options":{}}', 'the request.body of the fixture is not as'],
    ['{"request":{"headers":[]},"options":{"require":1}}', 'createVerifier() has no option "require"']
  ])('the fixture %j is a mistake, in one line', async (fixture, message) => {
    const { code, stdout, stderr } = await runInside(['explain', ...FLAGS], fixture)
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toMatch(/^signed-requests: [^\n]+\n$/)
    expect(stderr).toContain(message)
  })
})

describe('a setting in the environment', () => {
  const ENV = {
    SIGNED_REQUESTS_DOMAIN: 'service.example',
    SIGNED_REQUESTS_HOST: 'other.example, receiver.example',
    SIGNED_REQUESTS_ACCOUNT: '1234'
  }

  test('stands for the option; several values are separated by commas', async () => {
    const args = ['explain', '--key-record', RECORD!]
    expect(await runInside(args, capture, false, ENV)).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['explain', 'SIGNED_REQUESTS_DOMIAN', 'SIGNED_REQUESTS_DOMAIN'],
    ['explain', 'SIGNED_REQUESTS_ACCOUNTHEADER', 'SIGNED_REQUESTS_ACCOUNT_HEADER'],
    ['send', 'SIGNED_REQUESTS_host', 'SIGNED_REQUESTS_HOST'],
    ['key', 'SIGNED_REQUESTS_DNS_SERVERS', 'SIGNED_REQUESTS_DNS_SERVER']
  ])('that is misspelled names the nearest: %s with %s', async (command, written, meant) => {
    const { code, stderr } = await runInside([command, 'x'], '', false, { [written]: 'x' })
    const message = `there is no environment variable ${written} (did you mean ${meant}?)`
    expect([code, stderr]).toEqual([64, `signed-requests: ${message}\n`])
  })

  test('gives way to the option', async () => {
    const args = ['explain', '--key-record', RECORD!, '--host', 'elsewhere.example']
    const { stdout } = await runInside(args, capture, false, ENV)
    expect(stdout).toMatch(/^rejected: host\n/)
  })
})

describe('colour', () => {
  const args = ['explain', ...FLAGS, '--key-record', RECORD!]
  const changed = Buffer.from(capture.toString('latin1').replace('id=42', 'id=43'), 'latin1')

  test('marks what passed, what failed and what was not run', async () => {
    const { stdout } = await runInside(args, changed, true)
    expect(stdout).toContain('\x1b[31mrejected\x1b[39m: signature\n')
    expect(stdout).toContain('\x1b[32mok\x1b[39m    host')
    expect(stdout).toContain('\x1b[31mFAIL\x1b[39m  signature')
    expect(stdout).toContain('\x1b[31mchanged: line 1\x1b[39m')
  })

  test('changes nothing else, and is used only when asked for', async () => {
    const plain = await runInside(args, changed)
    expect(plain.stdout).not.toContain('\x1b')
    const colored = await runInside(args, changed, true)
    expect(stripVTControlCharacters(colored.stdout)).toBe(plain.stdout)
  })

  test('is never in JSON', async () => {
    const { stdout } = await runInside([...args, '--json'], changed, true)
    expect(JSON.parse(stdout)).toHaveProperty('status', 'rejected')
  })
})
