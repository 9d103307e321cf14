import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type ReceivedRequest, refusalResponse } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { CHALLENGE, linesOf, service, withHeaders } from '../../test/support/service.ts'
import { exchangeBytes, statusesOf, wire } from '../../test/support/wire.ts'
import { startAuthorizer } from '../src/authorize.ts'
import type { Exchange, Malformed } from '../src/exchange.ts'
import { logText } from '../src/log.ts'
import { type AuthorizerSettings, authorizerSettingsOf } from '../src/options/authorize.ts'
import { parseAuthorize } from '../src/options/command-line.ts'
import { countTimers, heldDns, withoutDns, withTinyBodies } from './for-one-test.ts'
import { testSettings } from './start.ts'
import { runGatewayInside } from './support/run-inside.ts'

type Line = readonly [name: string, value: string]

const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ method: 'POST', target: '/hook?id=1', body: '{"id":1}', ...more })

async function start(changes: Partial<AuthorizerSettings> = {}) {
  const exchanges: (Exchange | Malformed)[] = []
  const common = testSettings(new URL('http://127.0.0.1'), service, { replay: { kind: 'none' } })
  const settings: AuthorizerSettings = { ...common, from: 'as-is', ...changes }
  const authorizer = await startAuthorizer(settings, exchange => exchanges.push(exchange))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(async () => {
    agent.destroy()
    await authorizer.close()
  })
  const { port } = new URL(`http://${authorizer.address}`)
  /** Asks as an engine does, on a kept connection; `localPort` identifies the connection. */
  const ask = async (request: ReceivedRequest, more: readonly Line[] = []) => {
    const { method, target: path, body } = request
    const headers = [...linesOf(request), ...more].flat()
    const asked = httpRequest({ host: '127.0.0.1', port, agent, method, path, headers }).end(body as Uint8Array | null)
    const [res] = (await once(asked, 'response')) as [IncomingMessage]
    const { localPort } = res.socket
    return { status: res.statusCode ?? 0, headers: res.headers, body: await text(res), localPort }
  }
  const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status
  /** Returns the lines of the log so far. */
  const log = (form: 'json' | 'text') => exchanges.map(exchange => logText(exchange, form))
  return { ask, statusOf, exchanges, log, authorizer }
}

const GRANTED = ['account', 'key', 'date', 'id', 'verdict'].map(name => `signed-request-${name}`)

describe('as-is', () => {
  test('a connection is closed after its next answer once the end is announced', async () => {
    const { ask, authorizer } = await start()
    const { headers: before } = await ask(sign())
    authorizer.announceEnd()
    const { headers: after } = await ask(sign())
    expect(before.connection).not.toBe('close')
    expect(after.connection).toBe('close')
  })

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
    const verified = { verdict: { status: 'verified' }, status: 200 }
    expect(exchanges).toMatchObject([verified, verified])
  })

  test('a repetition gets the same id, for the application to compare', async () => {
    const { ask } = await start()
    const request = sign()
    const [first, second] = [await ask(request), await ask(request)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers['signed-request-id']).toBe(first.headers['signed-request-id'])
  })

  test('with a store, authorize refuses a repetition', async () => {
    const { statusOf } = await start({ replay: { kind: 'memory' } })
    const request = sign()
    expect([await statusOf(request), await statusOf(request)]).toEqual([200, 401])
  })

  test('a forgery gets the refusal of the library without a body, and the connection stays open', async () => {
    const { ask, exchanges } = await start()
    const forged = { ...sign({ body: Buffer.alloc(3_000_000, 'x') }), target: '/other' }
    const [first, second] = [await ask(forged), await ask({ ...sign(), body: Buffer.from('{"id":2}') })]
    for (const { status, headers, body } of [first, second]) {
      expect([status, body, headers['www-authenticate']]).toEqual([401, '', CHALLENGE])
      for (const name of GRANTED) expect(headers[name]).toBeUndefined()
    }
    expect(second.localPort).toBe(first.localPort)
    const failed = (code: string) => ({ verdict: { failures: [{ code }] } })
    expect(exchanges).toMatchObject([failed('signature-mismatch'), failed('digest-mismatch')])
  })

  test('a body above the limit is 413', async () => {
    const { statusOf } = await start({ verifier: withTinyBodies })
    expect(await statusOf(sign({ body: 'x'.repeat(11) }))).toBe(413)
  })

  test('what cannot be decided is 503 with Retry-After', async () => {
    const { ask, exchanges } = await start({ verifier: withoutDns })
    const { status, headers } = await ask(sign())
    const refusal = refusalResponse((exchanges[0] as Exchange).verdict as never)
    expect([status, headers['retry-after']]).toEqual([503, refusal.headers.get('retry-after')])
  })

  test('a request that is marked as having a part of its body is 413, whatever the part', async () => {
    const { statusOf, exchanges, log } = await start()
    for (const values of [['true'], ['TRUE'], ['false', 'true'], ['true', 'false'], ['1'], ['']]) {
      const lines = values.map((value): Line => ['X-Envoy-Auth-Partial-Body', value])
      expect([values, await statusOf(sign(), lines)]).toEqual([values, 413])
    }
    expect(await statusOf(sign(), [['X-Envoy-Auth-Partial-Body', 'false']])).toBe(200)
    expect(exchanges[0]).toMatchObject({ status: 413, reason: 'partial-body' })
    for (const [first] of [log('json'), log('text')]) {
      expect(first).toMatch(/partial-body.*\n?.*allow_partial_message|allow_partial.*partial-body/)
    }
  })

  test.each(['Signed.Request.Account', 'signed_request_id', 'X.Service.ID', 'Content_Type', 'digest_'])(
    'an unsigned %s, which PHP or WSGI takes for another name, is refused where that one counts',
    async name => {
      const { statusOf } = await start()
      expect(await statusOf(sign(), [[name, 'evil']])).toBe(name === 'digest_' ? 200 : 401)
    }
  )

  test('a name that PHP or WSGI takes for one of the five is refused, although it is signed', async () => {
    const { statusOf } = await start()
    const request = sign({
      covered: ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'signed_request_account'],
      headers: { Signed_Request_Account: '5678' }
    })
    expect(await statusOf(request)).toBe(401)
  })

  test('a name with a hyphen is refused beside the signed one with an underscore', async () => {
    const alsoCovered = ['x_tenant']
    const { statusOf } = await start({ verifier: { ...service.options, alsoCovered } })
    const request = sign({
      covered: ['(request-target)', 'host', 'date', 'x-service-id', 'digest', ...alsoCovered],
      headers: { X_Tenant: 'a' }
    })
    expect(await statusOf(request)).toBe(200)
    expect(await statusOf(request, [['X-Tenant', 'evil']])).toBe(401)
  })

  test('two signed names that PHP takes for one are refused: the order of their lines is not signed', async () => {
    const { statusOf, exchanges } = await start()
    const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'x_kind', 'x-kind']
    expect(await statusOf(sign({ covered, headers: { X_Kind: 'b', 'X-Kind': 'c' } }))).toBe(401)
    expect(exchanges).toMatchObject([{ refusal: 'header-ambiguous' }])
  })

  test.each(['Authorization', 'Content-Type', 'User-Agent', 'X-Event'])(
    'the signed %s in two lines is refused: the application may see one of them',
    async name => {
      const { statusOf, exchanges, log } = await start()
      const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', name]
      const request = sign({ covered, headers: { [name]: 'a, b' } })
      expect(
        await statusOf(withHeaders(request, { [name]: undefined }), [
          [name, 'a'],
          [name, 'b']
        ])
      ).toBe(401)
      expect(exchanges).toMatchObject([{ refusal: 'header-repeated', verdict: { status: 'verified' } }])
      expect(JSON.parse(log('json')[0]!).finding).toMatch(/several lines/)
      expect(await statusOf(request)).toBe(200)
    }
  )

  test('a body in another transfer coding than chunked is 400', async () => {
    const { authorizer, exchanges } = await start()
    const octets = wire(sign())
      .toString('latin1')
      .replace(/Content-Length: \d+/i, 'Transfer-Encoding: gzip, chunked')
    expect(await exchangeBytes(authorizer.address, Buffer.from(octets))).toMatch(/^HTTP\/1\.1 400 /)
    expect(exchanges).toMatchObject([{ status: 400, reason: 'framing' }])
  })

  test.each([
    ['header-ambiguous', '/hook', [['X.Service.ID', 'evil']], /PHP or WSGI/],
    ['target-not-as-signed', '/hook?', [], /@request-target/]
  ] as const)('a verified request that is refused all the same says why: %s', async (code, target, more, why) => {
    const verifier = { ...service.options, schemes: [rfc9421] }
    const { ask, statusOf, log } = await start({ verifier, replay: { kind: 'memory' } })
    const covered = ['@method', '@authority', '@path', '@query', 'date', 'x-service-id', 'content-digest']
    const request = sign({ scheme: 'rfc9421', target, covered })
    const { status, headers } = await ask(request, more)
    expect([status, headers['www-authenticate']]).toEqual([401, 'Signature'])
    const line = JSON.parse(log('json')[0]!)
    expect(line).toMatchObject({ httpStatus: 401, codes: [code], finding: expect.stringMatching(why) })
    expect(log('text')[0]).toMatch(new RegExp(` 401 rejected ${code} .*\n.*${why.source}`))
    // Such a refusal releases the claim: the genuine request is let in.
    expect(await statusOf({ ...request, target: '/hook' })).toBe(200)
  })

  test.each([
    [undefined, 401],
    ['x-forwarded-proto', 200]
  ] as const)('forwarding headers count only where they are asked for: https %s', async (https, status) => {
    const { statusOf } = await start({ https })
    const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Method': 'PUT', 'X-Forwarded-Uri': '/other' }
    expect(await statusOf(withHeaders(sign(), forwarded))).toBe(status)
  })
})

describe('a signed header that the proxy sets for authorize, and perhaps not for the application,', () => {
  const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'x-forwarded-proto']
  const request = sign({ covered, headers: { 'X-Forwarded-Proto': 'https' } })

  test('a signed header that the proxy sets is refused where authorize takes it from the proxy', async () => {
    const { statusOf, exchanges } = await start({ https: 'x-forwarded-proto' })
    expect(await statusOf(request)).toBe(401)
    expect(exchanges).toMatchObject([
      { refusal: 'header-overwritten', finding: expect.stringMatching(/another value/) }
    ])
  })

  test('a signed header that the proxy sets is like any other where authorize does not take it', async () => {
    const { statusOf } = await start()
    expect(await statusOf(request)).toBe(200)
  })
})

describe('x-forwarded', () => {
  const asked = (request: ReceivedRequest) =>
    withHeaders({ ...request, method: 'GET', target: '/' }, { Host: 'authorizer:8080' })
  const DESCRIPTION: readonly Line[] = [
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

  test.each(['post', 'PoSt'])('a method that is not its own upper case is malformed: %s', async method => {
    const { statusOf, log } = await start({ from: 'x-forwarded' })
    const described = DESCRIPTION.map(([name, value]): Line => [name, name === 'X-Forwarded-Method' ? method : value])
    expect(await statusOf(asked(sign()), described)).toBe(401)
    expect(JSON.parse(log('json')[0]!)).toMatchObject({ codes: ['request-malformed'] })
  })

  const without = (name: string) => DESCRIPTION.filter(([other]) => other !== name)

  test.each(DESCRIPTION)('refuses when %s is missing, repeated or another', async (name, value) => {
    const { statusOf } = await start({ from: 'x-forwarded' })
    for (const more of [without(name), [...DESCRIPTION, [name, value] as const], [...without(name), [name, 'other']]]) {
      expect(await statusOf(asked(sign()), more as Line[])).toBe(401)
    }
  })

  test.each(['X-Forwarded-Method', 'X-Forwarded-Uri', 'X-Forwarded-Proto'])(
    'a missing %s is named in the log, and for no other refusal',
    async name => {
      const { statusOf, log } = await start({ from: 'x-forwarded' })
      expect(await statusOf(asked(sign()), without(name))).toBe(401)
      expect(await statusOf({ ...asked(sign()), body: Buffer.from('{"id":2}') }, DESCRIPTION)).toBe(401)
      const [first, second] = log('json').map(line => JSON.parse(line))
      expect(first.finding).toMatch(/must each be sent exactly once/)
      expect(second.finding).toBeUndefined()
    }
  )

  const HINT = 'if Traefik asks, start authorize with --from x-forwarded'
  test.each([
    ['json', `"finding":"X-Forwarded-Method or -Uri differs from the method or target of this request: ${HINT}"`],
    ['text', `: ${HINT}`]
  ] as const)('the log names --from x-forwarded, as %s, when a request looks like one for it', async (form, says) => {
    const { statusOf, log } = await start({ from: 'as-is' })
    expect(await statusOf(asked(sign()), DESCRIPTION)).toBe(401)
    expect(await statusOf(asked(sign()), DESCRIPTION.slice(2))).toBe(401)
    expect(await statusOf(sign(), [['X-Forwarded-Uri', '/other']])).toBe(200)
    const [described, other, verified] = log(form)
    expect(described).toContain(says)
    for (const line of [other, verified]) expect(line).not.toContain('if Traefik asks')
  })

  test('--from x-forwarded does not fall back to the request that asks', async () => {
    const { statusOf } = await start({ from: 'x-forwarded' })
    expect(await statusOf(sign())).toBe(401)
  })
})

test('ends the checks that have begun, and starts no timer that keeps the process', async () => {
  const { verifier, isAsked, answerDns } = heldDns()
  const { statusOf, authorizer } = await start({ verifier })
  const status = statusOf(sign())
  await isAsked()
  const before = countTimers()
  const closed = authorizer.close()
  expect(countTimers()).toBe(before)
  answerDns()
  expect([await status, await closed]).toEqual([200, true])
})

describe('on the command line', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })
  const needed = '--domain service.example --host a.example --account 1 --https x-forwarded-proto'

  const settingsFor = (args: string) => {
    const given = parseAuthorize(`${needed} ${args}`.split(' '), process.env)
    if (given.asked !== undefined) throw new Error(`${given.asked} was asked for`)
    return authorizerSettingsOf(given)
  }

  test.each([
    ['--from x-forwarded --replay', {}, 0, 'the options are good'],
    ['', {}, 64, 'missing: --from; or set SIGNED_REQUESTS_FROM; see --help'],
    // A variable that the gateway has too has the meaning of the flag here.
    ['--from as-is', { SIGNED_REQUESTS_REPLAY: 'true' }, 0, 'the options are good'],
    ['--from as-is', { SIGNED_REQUESTS_REPLAY: 'memory' }, 64, 'SIGNED_REQUESTS_REPLAY must be true or false']
  ] as const)('the command: %s %j', async (args, env, code, text) => {
    const finished = await runGatewayInside(`authorize ${needed} --check ${args}`.trim().split(' '), env)
    expect([finished.code, `${finished.stdout}${finished.stderr}`]).toEqual([code, expect.stringContaining(text)])
  })

  test.each([
    ['--from forwarded', '--from must be one of as-is, x-forwarded'],
    ['--from x-forwarded --prefix /hooks', 'takes all from X-Forwarded-*'],
    ['--from as-is --upstream http://127.0.0.1:1', 'authorize does not take --upstream; see --help'],
    ['--from as-is --redis redis://127.0.0.1:1', '--redis needs --replay'],
    ['--from as-is --sqlite a.db', '--sqlite needs --replay'],
    ['--from as-is --postgres postgres://127.0.0.1:1/a', '--postgres needs --replay']
  ])('%s is a mistake', (args, text) => expect(() => settingsFor(args)).toThrow(text))

  test('ignores the variables of the gateway beside it, and none that is misspelled', () => {
    vi.stubEnv('SIGNED_REQUESTS_UPSTREAM', 'http://127.0.0.1:9000')
    vi.stubEnv('SIGNED_REQUESTS_OBSERVE', 'true')
    expect(settingsFor('--from as-is').from).toBe('as-is')
    vi.stubEnv('SIGNED_REQUESTS_UPSTREEM', 'http://127.0.0.1:9000')
    expect(() => settingsFor('--from as-is')).toThrow('there is no environment variable SIGNED_REQUESTS_UPSTREEM')
  })

  test('claims nothing without --replay, although a variable names a store for the gateway beside it', () => {
    const url = 'redis://127.0.0.1:1'
    vi.stubEnv('SIGNED_REQUESTS_REDIS', url)
    expect(settingsFor('--from as-is').replay).toEqual({ kind: 'none' })
    expect(settingsFor('--from as-is --replay').replay).toEqual({ kind: 'redis', url })
  })
})

test('authorize ends after --drain with a check in progress, and says that one was left', async () => {
  const { verifier, isAsked } = heldDns()
  const { authorizer, ask, exchanges } = await start({ verifier, drain: 20 })
  const asked = ask(sign()).catch(() => 'ended')
  await isAsked()
  expect(await authorizer.close()).toBe(false)
  // It is over before the store of claims is closed.
  expect(exchanges).toHaveLength(1)
  expect(await asked).toBe('ended')
})

test('authorize ends at once without a check in progress, and says that none was left', async () => {
  const { authorizer, statusOf } = await start({ drain: 60_000 })
  expect(await statusOf(sign())).toBe(200)
  expect(await authorizer.close()).toBe(true)
})

test('a check is recorded as one that no upstream was asked for, and a part of a body as malformed', async () => {
  const { ask, exchanges } = await start()
  await ask(sign())
  await ask(sign(), [['x-envoy-auth-partial-body', 'true']])
  expect(exchanges).toMatchObject([
    { upstream: 'not-asked', status: 200 },
    {
      upstream: 'malformed',
      status: 413,
      reason: 'partial-body',
      finding: 'the proxy passed a part of the body: let it pass all, or none (Envoy: allow_partial_message: false)'
    }
  ])
})

test('a check of a request with a coding besides chunked is refused, and recorded as malformed', async () => {
  const { authorizer, exchanges } = await start()
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'
  expect(statusesOf(await exchangeBytes(authorizer.address, Buffer.from(head)))).toEqual([400])
  expect(exchanges).toMatchObject([{ upstream: 'malformed', status: 400, reason: 'framing' }])
})
