import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Command } from 'commander'
import { type ReceivedRequest, refusalResponse } from 'signed-requests'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { runGateway } from '../../test/support/cli.ts'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { startAuthorizer } from '../src/authorize.ts'
import type { Exchange, Malformed } from '../src/exchange.ts'
import { logText } from '../src/log.ts'
import { type AuthorizerSettings, authorizerSettingsOf } from '../src/options/authorize.ts'
import { addFlags } from '../src/options/command.ts'
import { AUTHORIZE } from '../src/options/flags.ts'

const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ method: 'POST', target: '/hook?id=1', body: '{"id":1}', ...more })

async function start(changes: Partial<AuthorizerSettings> = {}) {
  const exchanges: (Exchange | Malformed)[] = []
  const settings: AuthorizerSettings = {
    listen: { host: '127.0.0.1', port: 0 },
    from: 'as-is',
    https: true,
    prefix: undefined,
    verifier: service.options,
    replay: { kind: 'none' },
    log: 'json',
    maxConnections: 100,
    drain: 1000,
    ...changes
  }
  const authorizer = await startAuthorizer(settings, exchange => exchanges.push(exchange))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(async () => {
    agent.destroy()
    await authorizer.close()
  })
  const { port } = new URL(`http://${authorizer.address}`)
  /** Asks as an engine does, on a connection that is kept; `port` says which one it was. */
  const ask = (
    { method, target, headers, body }: ReceivedRequest,
    more: readonly (readonly [string, string])[] = []
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: string; localPort: number | undefined }> =>
    new Promise((resolve, reject) => {
      const lines = [...(headers as Iterable<readonly [string, string]>), ...more].flat()
      const asked = httpRequest({ host: '127.0.0.1', port, agent, method, path: target, headers: lines }, async res => {
        const localPort = res.socket.localPort
        let text = ''
        for await (const chunk of res) text += chunk
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text, localPort })
      })
      asked.on('error', reject)
      asked.end(body as Uint8Array | null)
    })
  return { ask, exchanges, authorizer }
}

const GRANTED = ['account', 'key', 'date', 'id', 'verdict'].map(name => `signed-request-${name}`)

describe('as-is', () => {
  test('a verified request gets 200 and all five headers, and the connection stays open', async () => {
    const { ask, exchanges } = await start()
    const [first, second] = [await ask(sign()), await ask(sign())]
    expect(first.status).toBe(200)
    expect(GRANTED.map(name => first.headers[name])).toEqual([
      '1234',
      'key1._domainkey.service.example',
      expect.stringMatching(/ GMT$/),
      expect.stringMatching(/^\S{20,}$/),
      'verified'
    ])
    expect(second.localPort).toBe(first.localPort)
    expect(exchanges.map(({ verdict, status }) => [verdict?.status, status])).toEqual([
      ['verified', 200],
      ['verified', 200]
    ])
  })

  test('a repetition gets the same id, for the application to compare', async () => {
    const { ask } = await start()
    const request = sign()
    const [first, second] = [await ask(request), await ask(request)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers['signed-request-id']).toBe(first.headers['signed-request-id'])
  })

  test('a forgery gets the refusal of the library without a body, and the connection stays open', async () => {
    const { ask, exchanges } = await start()
    const forged = { ...sign({ body: Buffer.alloc(3_000_000, 'x') }), target: '/other' }
    const [first, second] = [await ask(forged), await ask({ ...sign(), body: Buffer.from('{"id":2}') })]
    for (const { status, headers, body } of [first, second]) {
      expect([status, body, headers['www-authenticate']]).toEqual([401, '', 'Signature'])
      for (const name of GRANTED) expect(headers[name]).toBeUndefined()
    }
    expect(second.localPort).toBe(first.localPort)
    expect(exchanges.flatMap(({ verdict }) => verdict?.failures.map(({ code }) => code))).toEqual([
      'signature-mismatch',
      'digest-mismatch'
    ])
  })

  test('a body above the limit is 413; what cannot be decided is 503 with Retry-After', async () => {
    const { ask } = await start({ verifier: { ...service.options, maxBodyBytes: 10 } })
    expect((await ask(sign({ body: 'x'.repeat(11) }))).status).toBe(413)
    const lookupTxt = () => Promise.reject(Object.assign(new Error('down'), { code: 'ESERVFAIL' }))
    const down = await start({ verifier: { ...service.options, lookupTxt } })
    const { status, headers } = await down.ask(sign())
    expect([status, headers['retry-after']]).toEqual([
      503,
      refusalResponse((down.exchanges[0] as Exchange).verdict as never).headers.get('retry-after')
    ])
  })

  test('a request that is marked as having a part of its body is 413, whatever the part', async () => {
    const { ask, exchanges } = await start()
    expect((await ask(sign(), [['X-Envoy-Auth-Partial-Body', 'true']])).status).toBe(413)
    expect(exchanges).toMatchObject([{ status: 413, reason: 'partial-body' }])
    expect((await ask(sign(), [['X-Envoy-Auth-Partial-Body', 'false']])).status).toBe(200)
    for (const values of [['TRUE'], ['false', 'true'], ['true', 'false'], ['1'], ['']]) {
      const lines = values.map((value): [string, string] => ['X-Envoy-Auth-Partial-Body', value])
      expect([values, (await ask(sign(), lines)).status]).toEqual([values, 413])
    }
    for (const form of ['json', 'text'] as const) {
      expect(logText(exchanges[0]!, form)).toMatch(
        /partial-body.*\n?.*allow_partial_message|allow_partial.*partial-body/
      )
    }
  })

  test.each(['Signed.Request.Account', 'signed_request_id', 'X.Service.ID', 'Content_Type', 'digest_'])(
    'an unsigned %s, which PHP or WSGI takes for another name, is refused where that one counts',
    async name => {
      const { ask } = await start()
      expect((await ask(sign(), [[name, 'evil']])).status).toBe(name === 'digest_' ? 200 : 401)
    }
  )

  test.each([
    ['header-ambiguous', '/hook', [['X.Service.ID', 'evil']], /PHP or WSGI/],
    ['target-not-as-signed', '/hook?', [], /@request-target/]
  ] as const)('a verified request that is refused all the same says why: %s', async (code, target, more, why) => {
    const { rfc9421 } = await import('signed-requests/rfc9421')
    const { ask, exchanges } = await start({ verifier: { ...service.options, schemes: [rfc9421] } })
    const covered = ['@method', '@authority', '@path', '@query', 'date', 'x-service-id', 'content-digest']
    const { status, headers } = await ask(sign({ scheme: 'rfc9421', target, covered }), more)
    expect([status, headers['www-authenticate']]).toEqual([401, 'Signature'])
    const line = JSON.parse(logText(exchanges[0]!, 'json'))
    expect(line).toMatchObject({ httpStatus: 401, codes: [code], finding: expect.stringMatching(why) })
    expect(logText(exchanges[0]!, 'text')).toMatch(new RegExp(` 401 verified ${code} .*\n.*${why.source}`))
  })

  test('such a refusal gives the claim back: the genuine request is let in', async () => {
    const { ask } = await start({ replay: { kind: 'memory' } })
    const request = sign()
    expect((await ask(request, [['X.Service.ID', 'evil']])).status).toBe(401)
    expect((await ask(request)).status).toBe(200)
  })

  test('forwarding headers count only where they are asked for', async () => {
    const { ask } = await start({ https: undefined })
    const forwarded: [string, string][] = [
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Method', 'PUT'],
      ['X-Forwarded-Uri', '/other']
    ]
    expect((await ask(sign(), forwarded)).status).toBe(401)
    const trusting = await start({ https: 'x-forwarded-proto' })
    expect((await trusting.ask(sign(), forwarded)).status).toBe(200)
  })

  test('with a store a repetition is refused', async () => {
    const { ask } = await start({ replay: { kind: 'memory' } })
    const request = sign()
    expect([(await ask(request)).status, (await ask(request)).status]).toEqual([200, 401])
  })

  test('a target in another form than the one that was signed is refused (RFC 9421)', async () => {
    const { rfc9421 } = await import('signed-requests/rfc9421')
    const { ask } = await start({ verifier: { ...service.options, schemes: [rfc9421] } })
    const covered = ['@method', '@authority', '@path', '@query', 'date', 'x-service-id', 'content-digest']
    const request = sign({ scheme: 'rfc9421', target: '/hook?', covered })
    expect((await ask(request)).status).toBe(401)
    expect((await ask({ ...request, target: '/hook' })).status).toBe(200)
  })
})

describe('x-forwarded', () => {
  const asked = (request: ReceivedRequest): ReceivedRequest => ({
    ...request,
    method: 'GET',
    target: '/',
    headers: [...(request.headers as [string, string][])].map(([name, value]) =>
      name === 'Host' ? (['Host', 'authorizer:8080'] as const) : ([name, value] as const)
    )
  })
  const DESCRIPTION: readonly (readonly [string, string])[] = [
    ['X-Forwarded-Method', 'POST'],
    ['X-Forwarded-Uri', '/hook?id=1'],
    ['X-Forwarded-Host', 'receiver.example'],
    ['X-Forwarded-Proto', 'https']
  ]

  test('takes method, target, Host and protocol from the headers of the proxy', async () => {
    const { ask } = await start({ from: 'x-forwarded' })
    const { status, headers } = await ask(asked(sign()), DESCRIPTION)
    expect([status, headers['signed-request-account']]).toEqual([200, '1234'])
  })

  test.each(DESCRIPTION.map(([name]) => name))('refuses when %s is missing, repeated or another', async name => {
    const { ask } = await start({ from: 'x-forwarded' })
    const rest = DESCRIPTION.filter(([other]) => other !== name)
    const [line] = DESCRIPTION.filter(([other]) => other === name)
    for (const more of [rest, [...DESCRIPTION, line!], [...rest, [name, 'other'] as const]]) {
      expect((await ask(asked(sign()), more)).status).toBe(401)
    }
  })

  test.each(['X-Forwarded-Method', 'X-Forwarded-Uri', 'X-Forwarded-Proto'])(
    'a missing %s is named in the log',
    async name => {
      const { ask, exchanges } = await start({ from: 'x-forwarded' })
      await ask(
        asked(sign()),
        DESCRIPTION.filter(([other]) => other !== name)
      )
      await ask(asked(sign({ body: 'other' })), [...DESCRIPTION, ['X-Other', '1']])
      await until(() => exchanges.length === 2)
      const [first, second] = exchanges.map(exchange => JSON.parse(logText(exchange, 'json')))
      expect(first.finding).toMatch(/must each be sent exactly once/)
      expect(second.finding).toBeUndefined()
    }
  )

  test.each([
    [
      'json',
      /"finding":"the request has another X-Forwarded-Method or -Uri: if Traefik asks, start authorize with --from x-forwarded"/
    ],
    ['text', /\n.* if Traefik asks, start authorize with --from x-forwarded\n/]
  ] as const)('is named in the log, %s, when it was not asked for', async (form, says) => {
    const { ask, exchanges } = await start({ from: 'as-is' })
    expect((await ask(asked(sign()), DESCRIPTION)).status).toBe(401)
    expect((await ask(asked(sign()), DESCRIPTION.slice(2))).status).toBe(401)
    expect((await ask(sign(), DESCRIPTION)).status).toBe(200)
    const [described, other, verified] = exchanges.map(exchange => logText(exchange, form))
    expect(described).toMatch(says)
    for (const line of [other, verified]) expect(line).not.toContain('if Traefik asks')
  })

  test('does not fall back to the request that asks', async () => {
    const { ask } = await start({ from: 'x-forwarded' })
    expect((await ask(sign())).status).toBe(401)
  })
})

test('ends the checks that have begun', async () => {
  let answerDns = () => {}
  let onAsked = () => {}
  const asked = new Promise<void>(resolve => {
    onAsked = resolve
  })
  const lookupTxt = (name: string) =>
    new Promise<string[][]>(resolve => {
      answerDns = () => resolve(service.records[name] as string[][])
      onAsked()
    })
  const { ask, authorizer } = await start({ verifier: { ...service.options, lookupTxt } })
  const answer = ask(sign())
  await asked
  const closed = authorizer.close()
  answerDns()
  expect((await answer).status).toBe(200)
  expect(await closed).toBe(true)
})

describe('on the command line', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })
  const needed = '--domain service.example --host a.example --account 1 --https x-forwarded-proto'.split(' ')

  const settingsFor = (...args: string[]) => {
    const command = addFlags(new Command(), AUTHORIZE)
      .exitOverride()
      .configureOutput({ writeErr() {} })
    command.parse([...needed, ...args], { from: 'user' })
    return authorizerSettingsOf(command, process.env)
  }

  test.each([
    [['--from', 'x-forwarded', ...needed, '--replay', '--check'], 0, 'the options are good'],
    [needed, 64, '--from must be given']
  ])('%j', async (args, code, text) => {
    const finished = await runGateway(['authorize', ...args])
    expect([finished.code, `${finished.stdout}${finished.stderr}`]).toEqual([code, expect.stringContaining(text)])
  })

  test.each([
    [['--from', 'forwarded'], '--from must be one of as-is, x-forwarded'],
    [['--from', 'x-forwarded', '--prefix', '/hooks'], 'takes all from X-Forwarded-*'],
    [['--from', 'as-is', '--upstream', 'http://127.0.0.1:1'], "unknown option '--upstream'"],
    [['--from', 'as-is', '--redis', 'redis://127.0.0.1:1'], '--redis needs --replay'],
    [['--from', 'as-is', '--sqlite', 'a.db'], '--sqlite needs --replay'],
    [['--from', 'as-is', '--postgres', 'postgres://127.0.0.1:1/a'], '--postgres needs --replay']
  ])('%j is a mistake', (args, text) => expect(() => settingsFor(...args)).toThrow(text))

  test('a variable that the gateway has too has the meaning of its own flag', async () => {
    const args = ['authorize', '--from', 'as-is', ...needed, '--check']
    expect((await runGateway(args, { SIGNED_REQUESTS_REPLAY: 'true' })).code).toBe(0)
    expect((await runGateway(args, { SIGNED_REQUESTS_REPLAY: 'memory' })).code).toBe(64)
  })

  test('ignores the variables of the gateway beside it, and none that is misspelled', () => {
    vi.stubEnv('SIGNED_REQUESTS_UPSTREAM', 'http://127.0.0.1:9000')
    vi.stubEnv('SIGNED_REQUESTS_OBSERVE', 'true')
    expect(settingsFor('--from', 'as-is').from).toBe('as-is')
    vi.stubEnv('SIGNED_REQUESTS_UPSTREEM', 'http://127.0.0.1:9000')
    expect(() => settingsFor('--from', 'as-is')).toThrow('there is no environment variable SIGNED_REQUESTS_UPSTREEM')
  })

  test('claims nothing without --replay, although a variable names a store for the gateway beside it', () => {
    vi.stubEnv('SIGNED_REQUESTS_REDIS', 'redis://127.0.0.1:1')
    expect(settingsFor('--from', 'as-is').replay).toEqual({ kind: 'none' })
    const redis = { kind: 'redis', url: 'redis://127.0.0.1:1' }
    expect(settingsFor('--from', 'as-is', '--replay').replay).toEqual(redis)
  })
})
