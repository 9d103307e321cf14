import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromNodeRequest } from 'signed-requests'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { variableOf } from '../../flags/variables.ts'
import { OPTION_NAMES, OPTIONS } from '../../src/core/options/options.ts'
import { runGateway } from '../../test/support/cli.ts'
import { startDohServer } from '../../test/support/doh-server.ts'
import { makeCertificate } from '../../test/support/https.ts'
import { runInside } from '../../test/support/run-cli.ts'
import packageJson from '../package.json' with { type: 'json' }
import { parseGateway } from '../src/options/command-line.ts'
import { AUTHORIZE, GATEWAY, VERIFIER } from '../src/options/flags.ts'
import { type GatewaySettings, settingsOf } from '../src/options/settings.ts'
import { ANY_ACCOUNT } from '../src/seen-accounts.ts'
import { startSockets } from './sockets.ts'
import { runGatewayInside } from './support/run-inside.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const NEEDED = {
  '--upstream': 'http://127.0.0.1:9000',
  '--domain': 'service.example',
  '--host': 'a.example',
  '--account': '1',
  '--https': 'always'
}

/** Returns the required arguments, changed; undefined leaves one out. */
const argumentsOf = (changes: Record<string, string | undefined>): string[] =>
  Object.entries({ ...NEEDED, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : value === '' ? [name] : [name, value]
  )

function parse(args: readonly string[], env: Record<string, string> = {}): GatewaySettings {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const given = parseGateway(args, process.env)
  if (given.asked !== undefined) throw new Error(`${given.asked} was asked for`)
  return settingsOf(given)
}
const settings = (changes: Record<string, string | undefined>, env: Record<string, string> = {}) =>
  parse(argumentsOf(changes), env)

test('the gateway listens on loopback by default, remembers in memory, refuses, logs JSON, shows no page', () => {
  expect(settings({})).toMatchObject({
    listen: { host: '127.0.0.1', port: 8080 },
    upstream: new URL('http://127.0.0.1:9000'),
    upstreamTimeout: 30_000,
    tls: undefined,
    https: true,
    prefix: undefined,
    requestId: undefined,
    verifier: {
      ...{ serviceDomain: 'service.example', hosts: ['a.example'], accounts: ['1'] },
      ...{ requireHttps: true }
    },
    replay: { kind: 'memory' },
    observe: false,
    log: 'json',
    admin: undefined,
    maxConnections: 1000,
    drainDelay: 2000,
    drain: 10_000
  })
})

test('all mistakes are reported together, a line for each', async () => {
  const meaning = {
    '--domain': 'com',
    '--host': 'https://a.example',
    '--upstream': 'ftp://x',
    '--admin': '0.0.0.0:9901'
  }
  const form = { '--drain': 'x', '--upstream-timeout': '0', '--account': undefined }
  for (const changes of [meaning, form]) {
    const { code, stderr } = await runGatewayInside(argumentsOf(changes))
    const lines = stderr.trim().split('\n')
    const names = Object.keys(changes)
    expect(lines.filter(line => names.some(name => line.startsWith(`signed-requests-gateway: ${name} `)))).toHaveLength(
      Object.values(changes).filter(value => value !== undefined).length
    )
    expect(lines).toHaveLength(names.length)
    expect(code).toBe(64)
  }
})

describe('flags and variables', () => {
  test('every flag can be a variable, except those of one run', () => {
    for (const { flag } of Object.values(GATEWAY)) {
      const variable = `SIGNED_REQUESTS_${flag.toUpperCase().replaceAll('-', '_')}`
      const refusal = `there is no environment variable ${variable}`
      const read = expect(() => settings({}, { [variable]: '' }))
      if (flag === 'check') read.toThrow(refusal)
      else read.toThrow(`${variable} is empty`)
      vi.unstubAllEnvs()
    }
  })

  test('no variable of the gateway is a misspelled one for the commands of signed-requests', async () => {
    const flags = [...Object.values(GATEWAY), ...Object.values(AUTHORIZE)]
    const env = Object.fromEntries(flags.map(({ flag }) => [variableOf(flag), 'x']))
    for (const command of ['explain', 'send', 'key'])
      expect((await runInside([command], '', false, env)).stderr).not.toContain('no environment variable')
  })

  test('each option of the library that is plain data has a flag', () => {
    // requireHttps is a value of --https.
    const names = OPTION_NAMES.filter(name => name !== 'requireHttps' && OPTIONS[name].flag !== undefined)
    expect(Object.keys(VERIFIER)).toEqual(expect.arrayContaining(names))
  })

  test.each([true, false])('the variable of a switch says whether it is on: SIGNED_REQUESTS_OBSERVE=%s', observe => {
    expect(settings({}, { SIGNED_REQUESTS_OBSERVE: `${observe}` }).observe).toBe(observe)
  })

  test('while observing, --account may be missing, and there is no status for refusals', () => {
    const changes = { '--account': undefined, '--observe': '', '--refusal-status': '503' }
    expect(settings(changes)).toMatchObject({ refusalStatus: undefined, verifier: { accounts: ANY_ACCOUNT } })
    expect(settings({ '--refusal-status': '503' }).refusalStatus).toBe(503)
    expect(() => settings({ '--account': undefined }, { SIGNED_REQUESTS_OBSERVE: 'false' })).toThrow(
      'missing: --account'
    )
  })

  test('every flag and variable of the gateway becomes a setting', () => {
    const changes = {
      ...{ '--upstream': 'http://[::1]:9000', '--https': 'x-forwarded-proto', '--prefix': '/hooks' },
      ...{ '--observe': '', '--upstream-timeout': '99', '--dns-server': '127.0.0.1:5353', '--redact': '' },
      ...{ '--request-id': 'X-Request-ID', '--admin': '127.0.0.1:9901', '--scheme': 'draft-cavage,rfc9421' },
      ...{ '--date-tolerance': '60', '--also-covered': 'X-A,x-b', '--min-rsa-bits': '2048' },
      ...{ '--max-rsa-bits': '4096', '--max-body': '9', '--body-timeout': '8' },
      ...{ '--lookup-timeout': '7', '--replay-timeout': '6' },
      ...{ '--algorithm': 'ed25519', '--account-header': 'X-Id', '--account-prefix': 'a-', '--log': 'text' }
    }
    const env = { SIGNED_REQUESTS_REDIS: 'redis://user:secret@127.0.0.1/2', SIGNED_REQUESTS_ADMIN_TOKEN: 'secret' }
    expect(settings(changes, env)).toMatchObject({
      upstream: new URL('http://[::1]:9000'),
      ...{ upstreamTimeout: 99, https: 'x-forwarded-proto', prefix: '/hooks', requestId: 'x-request-id' },
      verifier: {
        ...{ lookupTxt: expect.any(Function), algorithms: ['ed25519'] },
        ...{ dateTolerance: 60, alsoCovered: ['X-A', 'x-b'], minRsaBits: 2048, maxRsaBits: 4096 },
        ...{ maxBodyBytes: 9, bodyTimeout: 8, lookupTimeout: 7, replayTimeout: 6 },
        ...{ accountHeader: 'X-Id', accountPrefix: 'a-', schemes: [{}, {}] }
      },
      ...{ observe: true, log: 'text', replay: { kind: 'redis', url: 'redis://user:secret@127.0.0.1/2' } },
      admin: { address: { host: '127.0.0.1', port: 9901 }, token: 'secret', redact: true }
    })
  })
})

/** These have tests of their own: they need files, a later Node.js or the environment, or make a function. */
type TestedAlone = 'check' | 'tlsKey' | 'tlsCert' | 'sqlite' | 'adminToken' | 'servers' | 'url' | 'requireAuthenticated'

/** Changes one flag, with the flags that it needs. A flag without a row here does not compile. */
const CHANGED: Record<Exclude<keyof typeof GATEWAY, TestedAlone>, Record<string, string>> = {
  upstream: { '--upstream': 'http://127.0.0.1:9001' },
  serviceDomain: { '--domain': 'other.example' },
  hosts: { '--host': 'b.example' },
  accounts: { '--account': '2' },
  accountHeader: { '--account-header': 'X-Id' },
  accountPrefix: { '--account-prefix': 'a-' },
  https: { '--https': 'x-forwarded-proto' },
  prefix: { '--prefix': '/hooks' },
  schemes: { '--scheme': 'rfc9421' },
  algorithms: { '--algorithm': 'ed25519' },
  alsoCovered: { '--also-covered': 'X-Nonce' },
  dateTolerance: { '--date-tolerance': '60' },
  minRsaBits: { '--min-rsa-bits': '2048' },
  maxRsaBits: { '--max-rsa-bits': '4096' },
  maxBodyBytes: { '--max-body': '9' },
  bodyTimeout: { '--body-timeout': '8' },
  lookupTimeout: { '--lookup-timeout': '7' },
  replayTimeout: { '--replay-timeout': '6' },
  listen: { '--listen': '127.0.0.1:8081' },
  log: { '--log': 'text' },
  maxConnections: { '--max-connections': '20' },
  drainDelay: { '--drain-delay': '4' },
  drain: { '--drain': '5' },
  replay: { '--replay': 'none' },
  redis: { '--redis': 'redis://127.0.0.1' },
  redisReplicas: { '--redis': 'redis://127.0.0.1', '--redis-replicas': '1' },
  postgres: { '--postgres': 'postgres://127.0.0.1/ids' },
  observe: { '--observe': '' },
  refusalStatus: { '--refusal-status': '503' },
  requestId: { '--request-id': 'X-Request-ID' },
  admin: { '--admin': '127.0.0.1:9901' },
  redact: { '--admin': '127.0.0.1:9901', '--redact': '' },
  upstreamTimeout: { '--upstream-timeout': '99' }
}

test.each(Object.entries(CHANGED))('the flag of %s changes a setting of the gateway', (_, changes) => {
  const [first] = Object.keys(changes)
  const needed = Object.keys(changes).length > 1 ? { [first!]: changes[first!] } : {}
  const settled = (given: Record<string, string | undefined>) => {
    const { verifier, ...others } = settings(given)
    return { ...others, verifier: { ...verifier, lookupTxt: undefined } }
  }
  expect(settled(changes)).not.toEqual(settled(needed))
})

const KUBERNETES = 'if Kubernetes sets it for a Service, set enableServiceLinks: false'

describe('mistakes are named', () => {
  const ORIGIN = 'must be an http or https URL without a path, a query or a password'
  for (const [flag, values, message] of [
    ['--upstream', 'http://a.example/app http://a.example/? ftp://a.example', ORIGIN],
    ['--upstream', '127.0.0.1:9000 127.0.0.1:9000/app', `${ORIGIN}: write http://127.0.0.1:9000`],
    ['--upstream', 'localhost:9000 localhost:9000/app', `${ORIGIN}: write http://localhost:9000`],
    [
      '--admin',
      '0.0.0.0:1 192.0.2.1:1 [::]:1 [::12]:1',
      'on an address that is not loopback needs SIGNED_REQUESTS_ADMIN_TOKEN'
    ],
    ['--refusal-status', '200 600', 'must be a whole number, from 400 to 599'],
    ['--prefix', 'hooks /a?b', 'must be a path, such as /hooks, or x-forwarded-prefix'],
    ['--https', 'yes', 'must be one of x-forwarded-proto, always, not-required'],
    ['--scheme', 'rfc-9421', 'must be one of draft-cavage, rfc9421'],
    ['--log', 'xml', 'must be one of json, text'],
    ['--replay', 'redis', 'must be one of memory, none'],
    ['--drain', '1.5', 'must be a whole number of milliseconds, such as 5000 for 5 s, from 0 to 2147483647'],
    ['--upstream-timeout', '2147483648', 'must be a whole number']
  ] as const) {
    test.each(values.split(' '))(`a wrong value of ${flag} is named: %s`, value => {
      expect(() => settings({ [flag]: value })).toThrow(`${flag} ${message}`)
    })
  }

  test.each([
    [{ '--upstream': undefined }, 'missing: --upstream; or set SIGNED_REQUESTS_UPSTREAM; see --help'],
    [
      { '--domain': undefined, '--host': undefined },
      'missing: --domain, --host; or set SIGNED_REQUESTS_DOMAIN, SIGNED_REQUESTS_HOST'
    ],
    [{ '--account': undefined }, 'missing: --account'],
    [{ '--account': undefined, '--refusal-status': '503' }, 'missing: --account'],
    [{ '--request-id': 'X Request' }, 'must be the name of a header'],
    [{ '--replay': 'memory', '--redis': 'redis://a' }, 'cannot be used with --'],
    [{ '--postgres': 'postgres://a', '--redis': 'redis://a' }, 'cannot be used with --'],
    [{ '--sqlite': 'a.db', '--redis': 'redis://a' }, 'cannot be used with --'],
    [{ '--sqlite': 'a.db', '--replay': 'memory' }, 'cannot be used with --'],
    [{ '--tls-key': 'a.pem', '--tls-cert': 'a.pem' }, '--tls-key cannot be used with --https'],
    [{ '--dns-server': 'x' }, 'is not an IP address: write one'],
    [{ '--doh': 'http://a.example' }, '--doh is not an https URL'],
    [{ '--doh': 'https://a.example', '--dns-server': '127.0.0.1' }, '--doh cannot be used with --dns-server'],
    [{ '--require-authenticated': '' }, '--require-authenticated needs --doh'],
    [{ '--date-tolerance': '90000' }, '--date-tolerance is the number 90000: pass a number of seconds'],
    [{ '--date-tolerance': '5m' }, '--date-tolerance must be a whole number'],
    [
      { '--min-rsa-bits': '512' },
      '--min-rsa-bits is the number 512: pass a number of bits, at least 1024, such as 1024'
    ],
    [{ '--min-rsa-bits': '9000' }, 'above --max-rsa-bits (8192)'],
    [{ '--also-covered': 'a b' }, '--also-covered has "a b": write the name of a header'],
    [{ '--account': 'account-1' }, 'prefix "account-" of --account-prefix, so write the id alone, "1"'],
    [{ '--domain': 'example' }, '--domain is "example": write the domain'],
    [{ '--algorithm': 'rsa-md5' }, '--algorithm has "rsa-md5": it must be one of rsa-sha256, ']
  ] as [Record<string, string | undefined>, string][])(
    'a wrong flag or a wrong combination of flags is named: %j',
    (changes, message) => {
      expect(() => settings(changes)).toThrow(message)
    }
  )

  test.each([
    [{ SIGNED_REQUESTS_MAXBODY: '1' }, 'SIGNED_REQUESTS_MAXBODY (did you mean SIGNED_REQUESTS_MAX_BODY?); see --help'],
    [{ SIGNED_REQUESTS_HTTP: 'a' }, 'SIGNED_REQUESTS_HTTP (did you mean SIGNED_REQUESTS_HTTPS?)'],
    // Only the part behind SIGNED_REQUESTS_ is compared.
    [{ SIGNED_REQUESTS_FROM: 'as-is' }, 'there is no environment variable SIGNED_REQUESTS_FROM; see --help'],
    [{ SIGNED_REQUESTS_: 'a' }, 'there is no environment variable SIGNED_REQUESTS_; see --help'],
    [{ 'SIGNED_REQUESTS_MAX-BODY': '1' }, 'there is no environment variable SIGNED_REQUESTS_MAX-BODY'],
    [{ SIGNED_REQUESTS_max_body: '1' }, '(did you mean SIGNED_REQUESTS_MAX_BODY?)'],
    [{ SIGNED_REQUESTS_CONSTRUCTOR: '1' }, 'there is no environment variable SIGNED_REQUESTS_CONSTRUCTOR; see --help'],
    [{ SIGNED_REQUESTS_PORT: 'tcp://10.0.0.1:80' }, `SIGNED_REQUESTS_PORT: ${KUBERNETES}; see --help`],
    [{ SIGNED_REQUESTS_PORT_80_TCP_ADDR: '10.0.0.1' }, `SIGNED_REQUESTS_PORT_80_TCP_ADDR: ${KUBERNETES}`],
    [{ SIGNED_REQUESTS_SERVICE_HOST: '10.0.0.1' }, `SIGNED_REQUESTS_SERVICE_HOST: ${KUBERNETES}`],
    [{ SIGNED_REQUESTS_GATEWAY_SERVICE_PORT: '80' }, `SIGNED_REQUESTS_GATEWAY_SERVICE_PORT: ${KUBERNETES}`]
  ])('a wrong variable is named: %j', (env, message) => expect(() => settings({}, env)).toThrow(message))

  test('a certificate that is not of the key is a mistake, and one of the key is taken', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signed-requests-options-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { key, cert } = await makeCertificate('a.example')
    const other = await makeCertificate('a.example')
    for (const [name, pem] of Object.entries({ key, cert, other: other.cert })) writeFileSync(join(folder, name), pem)
    const files = { '--tls-key': join(folder, 'key'), '--tls-cert': join(folder, 'cert'), '--https': undefined }
    expect(settings(files).tls).toBeDefined()
    expect(() => settings({ ...files, '--tls-cert': join(folder, 'other') })).toThrow(
      '--tls-key and --tls-cert are not a private key and its certificate'
    )
  })
})

test('--doh asks a resolver over HTTPS; --require-authenticated believes validated answers only', async () => {
  const resolver = await startDohServer({ 'a.example': [['v=DKIM1']] })
  onTestFinished(resolver.close)
  const found = settings({ '--doh': resolver.url }).verifier
  const signal = AbortSignal.timeout(50_000)
  expect(await found.lookupTxt!('a.example', { signal })).toEqual([['v=DKIM1']])
  const strict = settings({}, { SIGNED_REQUESTS_DOH: resolver.url, SIGNED_REQUESTS_REQUIRE_AUTHENTICATED: 'true' })
  const refused = strict.verifier.lookupTxt!('a.example', { signal })
  await expect(refused).rejects.toMatchObject({ code: 'ENOTAUTHENTICATED' })
})

describe('secrets', () => {
  test.each([
    [{ '--redis': 'redis://user:secret@127.0.0.1' }, '--redis has a password'],
    [{ '--redis': 'redis://127.0.0.1?password=secret' }, '--redis has a password'],
    [{ '--redis': 'redis//user:secret@h' }, '--redis must be a redis: URL'],
    [{ '--postgres': 'secret' }, '--postgres must be a postgres: URL'],
    [{ '--postgres': 'postgres://user:secret@127.0.0.1/a' }, '--postgres has a password'],
    [{ '--postgres': 'postgres://127.0.0.1/a?sslpassword=secret' }, '--postgres has a password'],
    [{ '--upstream': 'http://user:secret@127.0.0.1' }, '--upstream must be an http or https URL without a path']
  ])('%j is refused as an argument, and not printed', (changes, message) => {
    expect(() => settings(changes)).toThrow(message)
    expect(() => settings(changes)).not.toThrow('secret')
  })
})

test.each([
  '/',
  '/hooks',
  '/hooks/',
  '/a/b',
  '/a%20b',
  '/a?b',
  '/a#b',
  '//a',
  '/a//b',
  '/a/..',
  '/./a',
  '/a b',
  'a',
  ''
])('--prefix takes what the library takes: %j', prefix => {
  const req = { rawHeaders: [], headers: {}, readableEnded: true, socket: null } as never
  const given = expect(() => settings({ '--prefix': prefix }))
  try {
    fromNodeRequest(req, { prefix })
  } catch {
    return given.toThrow()
  }
  return given.not.toThrow()
})

describe('the command', () => {
  // Covers everything that only a process shows; the other tests run the command inside this one.
  test.each([
    [['--version'], 0, `${packageJson.version}\n`, ''],
    [argumentsOf({ '--https': undefined, '--check': '' }), 1, '', 'every request will be refused'],
    [
      argumentsOf({ '--redis': 'redis://127.0.0.1:1' }),
      2,
      '',
      'signed-requests-gateway: the replay store in Redis cannot be used: connect ECONNREFUSED'
    ],
    [
      ['--upstrem'],
      64,
      '',
      'signed-requests-gateway: there is no option --upstrem \\(did you mean --upstream\\?\\); see --help\n$'
    ]
  ])('the process of %j ends with %i, and writes to standard output and standard error', async (...row) => {
    const [args, code, stdout, start] = row
    const finished = await runGateway(args)
    expect(finished).toEqual({ code, stdout, stderr: expect.stringMatching(new RegExp(`^${start}`)) })
  })

  test.each([
    [{}, /^every request will be refused, because none counts as HTTPS: set --https\n$/],
    [
      { '--observe': '' },
      /^every request will get the verdict rejected \(not-https\), because none counts as HTTPS: set --https\n$/
    ]
  ])('--check %j ends with 1 where no request could be verified, because none counts as HTTPS', async (more, says) => {
    const { code, stdout, stderr } = await runGatewayInside(
      argumentsOf({ '--https': undefined, '--check': '', ...more })
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(says)
  })

  test.each(['co.uk', 'Co.UK.', 'github.io', 'kobe.jp'])(
    '--check warns that anyone can sign under --domain %s, a public suffix',
    async domain => {
      const { code, stdout, stderr } = await runGatewayInside(argumentsOf({ '--domain': domain, '--check': '' }))
      expect([code, stdout]).toEqual([0, 'the options are good\n'])
      expect(stderr).toBe(
        `warning: anyone can sign, because --domain is a public suffix: ${domain}; write the domain of the service\n`
      )
    }
  )

  test.each(['service.co.uk', 'service.example', 'keys.service.example', 'city.kobe.jp'])(
    '--check warns of nothing for --domain %s, which has one owner',
    async domain => {
      const finished = await runGatewayInside(argumentsOf({ '--domain': domain, '--check': '' }))
      expect(finished).toEqual({ code: 0, stdout: 'the options are good\n', stderr: '' })
    }
  )

  test('authorize --version prints the version of the package', async () => {
    const finished = await runGatewayInside(['authorize', '--version'])
    expect(finished).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' })
  })

  test('a gateway says what it listens on and for whom, what it does differently, and ends with 0 when it is told to', async () => {
    const changes = { '--listen': '127.0.0.1:0', '--admin': '127.0.0.1:0', '--replay': 'none' }
    const said = (more: Record<string, string | undefined>) => runGatewayInside(argumentsOf({ ...changes, ...more }))
    const listening = String.raw`listening on http://127\.0\.0\.1:\d+ for http://127\.0\.0\.1:9000\n`
    const page = String.raw`admin page on http://127\.0\.0\.1:\d+/\n`
    expect(await said({ '--refusal-status': '503' })).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^refused requests get 503 instead of 401 or 413\n${listening}${page}$`))
    })
    const observing = 'OBSERVING: every request is forwarded, NOTHING IS REFUSED\n'
    const anyAccount = '--account is not set: the log names the accounts of signed requests\n'
    expect((await said({ '--observe': '', '--account': undefined, '--admin': undefined })).stderr).toMatch(
      new RegExp(`^${observing}${anyAccount}${listening}$`)
    )
    const authorize = ['authorize', '--domain', 'service.example', '--host', 'a.example', '--account', '1']
    expect(await runGatewayInside([...authorize, '--from', 'x-forwarded', '--listen', '127.0.0.1:0'])).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^answering checks on http:\/\/127\.0\.0\.1:\d+\n$/)
    })
  })

  test.each([
    ['authorise --from as-is', 'there is no command authorise (did you mean authorize?); see --help'],
    ['authorize --replay memory', 'unexpected argument after --replay: it takes no value; see --help']
  ])('the first mistake of a command is named, and the command ends with 64: %s', async (line, message) => {
    const stderr = `signed-requests-gateway: ${message}\n`
    expect(await runGatewayInside(line.split(' '))).toEqual({ code: 64, stdout: '', stderr })
  })

  test('a gateway prints nothing of a server that could steer a terminal', async () => {
    const { url, close } = await startSockets(socket => {
      // Each command gets its own answer: several may arrive at once.
      socket.on('data', data => {
        for (const _ of String(data).match(/^\*\d/gm) ?? []) socket.write('-ERR \x1b[31mred\r\n')
      })
    })
    onTestFinished(close)
    const { code, stderr } = await runGatewayInside(argumentsOf({ '--redis': `redis://${url.host}` }))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^[ -~]+red[ -~]*\n$/)
  })
})
