import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { LABELS } from '../../src/explain/explain.ts'
import { captureBytes } from '../support/capture-bytes.ts'
import { EXPLAIN, RECEIVER, RECORD } from '../support/explain.ts'
import { runInside } from '../support/run-cli.ts'
import { service } from '../support/service.ts'

const EXPLAINS = `explain ${RECEIVER.join(' ')}`
const capture = await captureBytes(service.sign({ target: '/hook?id=42' }))

describe('usage', () => {
  test.each([
    [['--help'], /Usage: signed-requests <command>/],
    [['key', '-h'], /Usage: signed-requests key/],
    [['help'], /Usage: signed-requests <command>/],
    [[], /Usage: signed-requests <command>/]
  ])('the help is printed for %j', async (args, help) => {
    const { code, stdout, stderr } = await runInside(args)
    expect(stdout).toMatch(help)
    expect([code, stderr]).toEqual([0, ''])
  })

  const SEEN = 'because other users can see arguments'
  const SEND = 'send http://a.example'
  const DNS = '--serve-dns takes a loopback address and a port: 127.0.0.1:5353 or [::1]:5353'
  const PRINT = '--print sends nothing: leave --serve-dns, --start and --repeat out'
  const loopback = (write: string) =>
    `--allow-self-signed is for loopback addresses; if a.example belongs to this machine: write ${write}`
  const NO_FILE = "ENOENT: no such file or directory, open '/no/such/file'"
  const NAME = 'must be a DNS name, such as one._domainkey.service.example'
  const URL_NEEDED = 'URL must be an http or https URL, such as http://localhost:3000/hook'
  const NOW = 'a time such as 2026-11-20T12:00:00Z, or "date" if the request has a good Date'
  const PREFIX = 'a path such as /hooks; the text before the account id is --account-prefix'
  const ALGORITHMS = 'rsa-sha256, rsa-sha512, hs2019, ed25519, rsa-v1_5-sha256, rsa-pss-sha512'
  const ACCOUNT = '"account-1": it has the prefix "account-" of --account-prefix, so write the id alone, "1"'
  const VARIABLES = 'SIGNED_REQUESTS_HOST, SIGNED_REQUESTS_ACCOUNT'
  const BITS = 'pass a number of bits, at least 1024, such as 1024'
  const EC_KEY = 'fixtures/source/keys/ec-p256.pem'

  test.each([
    ['constructor', 'there is no such command; the commands are explain, key, send, account, demo, probe'],
    ['explian', 'there is no command explian (did you mean explain?); see --help'],
    ['sedn http://a.example', 'there is no command sedn (did you mean send?); see --help'],
    ['--domain service.example explain', 'explain must be the first argument; see --help'],
    ['explain -n', 'there is no such option; see --help'],
    ['send http://a.example --hots a.example', 'there is no option --hots (did you mean --host?); see --help'],
    ['key a.example --host a.example', 'key does not take --host; see --help'],
    ['explain /no/such/file', `cannot read /no/such/file (FILE): ${NO_FILE}`],
    ['explain /', '/ (FILE) has no file of a recorder, such as 2026-11-24T15-05-38.123Z-digest-mismatch-key-1.json'],
    ['explain a b', 'explain takes one FILE, DIR, LOG or CODE'],
    ['explain --domain service.example', `missing: --host, --account; or set ${VARIABLES}; see --help`],
    [`${EXPLAINS} --algorithm rsa-md5`, `--algorithm has "rsa-md5": it must be one of ${ALGORITHMS}`],
    [`${EXPLAINS} --scheme rfc9999`, '--scheme must be one of draft-cavage, rfc9421'],
    [`${EXPLAINS} --min-rsa-bits 2k`, '--min-rsa-bits must be a whole number'],
    [`${EXPLAINS} --doh https://a.example --dns-server 127.0.0.1`, '--doh cannot be used with --dns-server'],
    [`${EXPLAINS} --now then`, `--now takes ${NOW}`],
    [
      `${EXPLAINS} --dns-server x`,
      '--dns-server has a text that is not an IP address: write one such as "127.0.0.1:5353"'
    ],
    [`${EXPLAINS} --account account-1`, `--account has ${ACCOUNT}`],
    ['key', 'key takes one NAME or more'],
    ['key a..b\x1b', `NAME ${NAME}`],
    ['key S3CRET', `NAME ${NAME}`],
    ['explain S3CRET', 'cannot read FILE: ENOENT: no such file or directory'],
    ['explain eyJh.eyJz.S3CRET', 'cannot read FILE: ENOENT: no such file or directory'],
    ['explain request.htp', "cannot read request.htp (FILE): ENOENT: no such file or directory, open 'request.htp'"],
    [`${EXPLAINS} --body S3CRET`, 'cannot read the file of --body: ENOENT: no such file or directory'],
    [`${SEND} --key S3CRET`, 'cannot read the file of --key: ENOENT: no such file or directory'],
    [`${SEND} --data @S3CRET`, 'cannot read the file of --data: ENOENT: no such file or directory'],
    [`${SEND} --start S3CRET`, 'cannot read the file of --start: ENOENT: no such file or directory'],
    [`${SEND} --request S3CRET`, 'cannot read the file of --request: ENOENT: no such file or directory'],
    ['key a.example --min-rsa-bits 512', `--min-rsa-bits is the number 512: ${BITS}`],
    ['account', 'missing: --auth-url, --base-url; see --help'],
    ['account --token x', 'other users can see arguments: set ACCESS_TOKEN instead of --token'],
    ['account eyJhbGciOiJSUzI1NiJ9.S3CRET', `unexpected argument; set ACCESS_TOKEN for the token, ${SEEN}; see --help`],
    ['send', 'send takes one URL'],
    ['send S3CRET', URL_NEEDED],
    ['probe S3CRET', URL_NEEDED],
    ['send https://a.example --allow-self-signed', loopback('https://localhost/ --host a.example')],
    ['send https://a.example:84/b --allow-self-signed', loopback('https://localhost:84/b --host a.example:84')],
    [`${SEND} --serve-dns 0.0.0.0:5353`, DNS],
    [`${SEND} --serve-dns [::]:5353`, DNS],
    [`${SEND} --serve-dns 1127.0.0.1:5353`, DNS],
    [`${SEND} --serve-dns 127.0.0.1:5353x`, DNS],
    [`${SEND} --serve-dns 127.0.0.1:65536`, DNS],
    [`${SEND} --serve-dns localhost:53`, DNS],
    [`${SEND} --tamper constructor`, '--tamper must be one of body, date, host, account, signature, all'],
    [`${SEND} --repeat 0`, '--repeat takes a number from 1 to 999: how often to send the same bytes'],
    [`${SEND} --prefix brand-`, `--prefix takes ${PREFIX}`],
    [`${SEND} --host https://b.example/`, '--host takes a host name, such as hooks.example.com'],
    [`${SEND} --header x`, "--header takes 'NAME: TEXT'"],
    [`${SEND} --header :x:y`, "--header takes 'NAME: TEXT'"],
    [`${SEND} --header x:y\nz`, "--header takes 'NAME: TEXT'"],
    [`${SEND} --scheme rfc`, '--scheme must be one of draft-cavage, rfc9421'],
    [`${SEND} --print http --serve-dns 127.0.0.1:0`, PRINT],
    [`${SEND} --print http --repeat 2`, PRINT],
    [`${SEND} --print json`, '--print must be one of http, curl'],
    [`${SEND} --entry 1`, '--entry needs --request'],
    [`${SEND} --request - --data @-`, '--request - and --data @- both read standard input'],
    [`${SEND} --key ${EC_KEY}`, `${EC_KEY} is not an RSA private key in PEM`]
  ])('a mistake on the command line ends with 64 and one line on stderr: %j', async (line, message) => {
    const args = line.split(' ').filter(arg => arg !== '')
    // send makes a key unless it is given one.
    const key = args[0] === 'send' && !args.includes('--key') ? ['--key', 'fixtures/source/keys/one.pem'] : []
    const stderr = `signed-requests: ${message}\n`
    expect(await runInside([...args, ...key], capture)).toEqual({ code: 64, stdout: '', stderr })
  })
})

describe('a setting in the environment', () => {
  const ENV = {
    SIGNED_REQUESTS_DOMAIN: 'service.example',
    SIGNED_REQUESTS_HOST: 'other.example, receiver.example',
    SIGNED_REQUESTS_ACCOUNT: '1234'
  }

  test('a setting in the environment stands for the option; several values are separated by commas', async () => {
    const args = ['explain', '--key-record', RECORD]
    expect(await runInside(args, capture, false, ENV)).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['explain', 'SIGNED_REQUESTS_ACCOUNTHEADER', 'SIGNED_REQUESTS_ACCOUNT_HEADER'],
    ['send', 'SIGNED_REQUESTS_host', 'SIGNED_REQUESTS_HOST'],
    ['key', 'SIGNED_REQUESTS_DNS_SERVERS', 'SIGNED_REQUESTS_DNS_SERVER']
  ])(
    'a setting in the environment that is misspelled names the nearest: %s with %s',
    async (command, written, meant) => {
      const { code, stderr } = await runInside([command, 'x'], '', false, { [written]: 'x' })
      const message = `there is no environment variable ${written} (did you mean ${meant}?); see --help`
      expect([code, stderr]).toEqual([64, `signed-requests: ${message}\n`])
    }
  )

  const PRINT = ['send', 'http://a.example/hook', '--key', 'fixtures/source/keys/one.pem', '--print', 'http']

  test('a setting in the environment that has several values is the first one where a command takes one', async () => {
    const several = { SIGNED_REQUESTS_ACCOUNT: '5678, 1234', SIGNED_REQUESTS_SCHEME: 'rfc9421,draft-cavage' }
    const { code, stdout } = await runInside(PRINT, '', false, { ...ENV, ...several })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Host: other\.example$/m)
    expect(stdout).toMatch(/^X-Service-ID: account-5678$/m)
    expect(stdout).toMatch(/^Signature-Input: /m)
  })

  test('a setting in the environment is one value with its comma where the setting is no list', async () => {
    const { stdout } = await runInside(PRINT, '', false, { SIGNED_REQUESTS_ACCOUNT_PREFIX: 'a,b-' })
    expect(stdout).toMatch(/^X-Service-ID: a,b-1234$/m)
  })

  test('a setting in the environment is a switch that is on when it is true', async () => {
    const env = { SIGNED_REQUESTS_REQUIRE_AUTHENTICATED: 'true' }
    const { code, stderr } = await runInside(['key', 'a.example'], '', false, env)
    expect([code, stderr]).toEqual([64, 'signed-requests: --require-authenticated needs --doh\n'])
  })

  test('a setting in the environment gives way to the option', async () => {
    const args = ['explain', '--key-record', RECORD, '--host', 'elsewhere.example']
    const { stdout } = await runInside(args, capture, false, ENV)
    expect(stdout).toMatch(/^rejected: host\n/)
  })
})

describe('colour', () => {
  const changed = Buffer.from(capture.toString('latin1').replace('id=42', 'id=43'), 'latin1')

  test('colour marks what passed and what failed', async () => {
    const { stdout } = await runInside(EXPLAIN, changed, true)
    expect(stdout).toContain('\x1b[31mrejected\x1b[39m: signature\n')
    expect(stdout).toContain('\x1b[32mok\x1b[39m    host')
    expect(stdout).toContain('\x1b[31mFAIL\x1b[39m  signature')
    expect(stdout).toContain(`\x1b[31m${LABELS.changed} 1\x1b[39m`)
  })

  test('colour changes no text, and is used only when it is asked for', async () => {
    const plain = await runInside(EXPLAIN, changed)
    expect(plain.stdout).not.toContain('\x1b')
    const colored = await runInside(EXPLAIN, changed, true)
    expect(stripVTControlCharacters(colored.stdout)).toBe(plain.stdout)
  })

  test('colour is never in JSON', async () => {
    const { stdout } = await runInside([...EXPLAIN, '--json'], changed, true)
    expect(JSON.parse(stdout)).toHaveProperty('status', 'rejected')
  })
})
