import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../test/support/https.ts'
import { service } from '../../test/support/service.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { ANY_ACCOUNT } from '../src/seen-accounts.ts'
import { startApplication, startTestGateway } from './start.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function start(
  settings: Parameters<typeof startTestGateway>[1] = {},
  answer?: Parameters<typeof startApplication>[0]
) {
  const application = await startApplication(answer)
  undo.push(application.close)
  const gateway = await startTestGateway(application.url, settings)
  undo.push(gateway.close)
  return { ...gateway, seen: application.seen }
}

const port = (address: string): number => Number(new URL(`http://${address}`).port)

describe('one request', () => {
  test('is forwarded byte for byte, and so is its answer', async () => {
    const { address, over, seen } = await start()
    const body = Buffer.from([0xff, 0x00, 0x0d, 0x0a])
    const signed = service.sign({ target: '//hook/%2F/a?b=%00&c=', body })
    expect(await send(address, signed)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\ndone$/)
    expect(seen).toMatchObject([{ method: 'POST', target: '//hook/%2F/a?b=%00&c=', body }])
    expect(await over(1)).toMatchObject([
      { status: 200, upstream: 'answered', method: 'POST', target: '//hook/%2F/a?b=%00&c=', https: true }
    ])
  })

  test('that is forged is refused, and the upstream not asked', async () => {
    const { address, over, seen } = await start()
    const signed = service.sign({ target: '/hook', body: 'signed' })
    expect(statusesOf(await send(address, { ...signed, target: '/other' }))).toEqual([401])
    expect(await over(1)).toMatchObject([{ status: 401, upstream: 'not-asked', verdict: { status: 'rejected' } }])
    expect(seen).toEqual([])
  })

  test('is accepted once', async () => {
    const { address, seen } = await start()
    const signed = service.sign({ target: '/hook', body: 'once' })
    expect(statusesOf(await send(address, signed))).toEqual([200])
    expect(statusesOf(await send(address, signed))).toEqual([401])
    expect(seen).toHaveLength(1)
  })

  test('is accepted repeatedly with --replay none, and has no id', async () => {
    const { address, seen } = await start({ replay: { kind: 'none' } })
    const signed = service.sign({ target: '/hook' })
    await send(address, signed)
    expect(statusesOf(await send(address, signed))).toEqual([200])
    expect(seen).toMatchObject([{}, { headers: { 'signed-request-account': '1234' } }])
    expect(seen[1]!.headers).not.toHaveProperty('signed-request-id')
  })

  test('that is too large is 413, and is not read to its end', async () => {
    const { address, seen } = await start({ verifier: { ...service.options, maxBodyBytes: 10 } })
    expect(statusesOf(await send(address, service.sign({ target: '/', body: 'x'.repeat(11) })))).toEqual([413])
    expect(statusesOf(await send(address, service.sign({ target: '/', body: 'x'.repeat(10) })))).toEqual([200])
    expect(seen).toHaveLength(1)
  })

  test('is 503 with Retry-After when DNS does not answer', async () => {
    const lookupTxt = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
    const { address, seen } = await start({ verifier: { ...service.options, lookupTxt } })
    expect(await send(address, service.sign({ target: '/' }))).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 10/)
    expect(seen).toEqual([])
  })
})

describe('targets', () => {
  test('neither * nor CONNECT is forwarded, and both are logged', async () => {
    const { address, seen, malformed } = await start()
    expect(statusesOf(await send(address, service.sign({ method: 'OPTIONS', target: '*' })))).toEqual([400])
    expect(statusesOf(await send(address, service.sign({ method: 'POST', target: '*' })))).toEqual([400])
    const connecting = wire(service.sign({ method: 'POST', target: '/' }))
      .toString()
      .replace('POST / ', 'CONNECT receiver.example:443 ')
    expect(statusesOf(await exchangeBytes(address, Buffer.from(connecting)))).not.toContain(200)
    expect(seen).toEqual([])
    expect(malformed).toMatchObject([
      { status: 400, reason: 'target' },
      { status: 400, reason: 'target' }
    ])
  })
})

describe('a status for refusals', () => {
  const forged = (signed: ReturnType<typeof service.sign>) => ({ ...signed, target: '/other' })

  test.each([
    [503, /\r\nRetry-After: \d+\r\n/],
    [403, /^(?![\s\S]*(?:Retry-After|WWW-Authenticate))/]
  ])('is %d instead of 401, and the same bytes are let in when they are right', async (refusalStatus, head) => {
    const { address, seen } = await start({ refusalStatus })
    const signed = service.sign({ target: '/hook' })
    const answer = await send(address, forged(signed))
    expect(statusesOf(answer)).toEqual([refusalStatus])
    expect(answer).toMatch(head)
    expect(statusesOf(await send(address, signed))).toEqual([200])
    expect(seen.map(({ target }) => target)).toEqual(['/hook'])
  })

  test('is not that of what cannot be decided: 503 with any', async () => {
    const lookupTxt = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
    const { address } = await start({ refusalStatus: 403, verifier: { ...service.options, lookupTxt } })
    expect(statusesOf(await send(address, service.sign({ target: '/' })))).toEqual([503])
  })

  test('is that of a body that is too large', async () => {
    const verifier = { ...service.options, maxBodyBytes: 10 }
    const { address } = await start({ refusalStatus: 503, verifier })
    expect(statusesOf(await send(address, service.sign({ target: '/', body: 'x'.repeat(11) })))).toEqual([503])
  })
})

describe('observing', () => {
  test('forwards everything with its mark, which a sender cannot set', async () => {
    const { address, seen, over } = await start({ observe: true })
    const signed = service.sign({ target: '/hook', body: 'body' })
    const forged = [
      ['signed-request-verdict', 'verified'],
      ['Signed_Request_Account', '9']
    ] as const
    expect(statusesOf(await send(address, signed, forged))).toEqual([200])
    expect(statusesOf(await send(address, signed, forged))).toEqual([200])
    expect(statusesOf(await send(address, { ...signed, body: Buffer.from('bodY') }, forged))).toEqual([200])
    expect(seen.map(({ headers }) => headers['signed-request-verdict'])).toEqual([
      'verified',
      'verified',
      'rejected; digest-mismatch'
    ])
    expect(seen.map(({ headers }) => headers['signed-request-account'])).toEqual(['1234', '1234', undefined])
    expect(seen.map(({ body }) => body.toString())).toEqual(['body', 'body', 'bodY'])
    expect(seen.flatMap(({ rawHeaders }) => rawHeaders)).not.toContain('Signed_Request_Account')
    expect((await over(3))[2]).toMatchObject({ status: 200, upstream: 'answered', body: Buffer.from('bodY') })
  })

  test('sets the id, the same for the same bytes, and claims nothing', async () => {
    const { address, seen } = await start({ observe: true })
    const signed = service.sign({ target: '/' })
    for (let i = 0; i < 2; i++) await send(address, signed)
    const [first, second] = seen.map(({ headers }) => headers['signed-request-id'])
    expect(first).toMatch(/\S/)
    expect(second).toBe(first)
  })

  test('without --account each account is verified, and the log has the line to write', async () => {
    const verifier = { ...service.options, accounts: ANY_ACCOUNT }
    const { address, seen, over } = await start({ observe: true, verifier })
    const of = (id: string) => service.sign({ target: '/', headers: { 'X-Service-ID': `account-${id}` } })
    await send(address, of('77'))
    await send(address, { ...of('99'), target: '/other' })
    const [verified, forged] = await over(2)
    expect(verified!.finding).toBe('--account is not given; if account 77 is yours, write --account 77')
    expect(forged!.finding).toBe(undefined)
    expect(seen.map(({ headers }) => headers['signed-request-account'])).toEqual(['77', undefined])
  })

  test('forwards what is not signed at all', async () => {
    const { address, seen } = await start({ observe: true })
    const head = 'GET /a HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n'
    expect(statusesOf(await exchangeBytes(address, Buffer.from(head)))).toEqual([200])
    expect(seen[0]!.headers).toMatchObject({
      host: 'other.example',
      'signed-request-verdict':
        'rejected; date-missing, host-mismatch, account-missing, signature-missing, digest-missing'
    })
  })

  test('marks what could not be decided', async () => {
    const lookupTxt = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
    const { address, seen } = await start({ observe: true, verifier: { ...service.options, lookupTxt } })
    await send(address, service.sign({ target: '/' }))
    expect(seen[0]!.headers['signed-request-verdict']).toBe('unavailable; key-lookup-failed')
  })

  test('accepts a retry after a failure of the upstream, as without observing', async () => {
    const { address, seen } = await start({ observe: true }, (res, _, count) =>
      res.writeHead(count === 1 ? 500 : 200).end()
    )
    const signed = service.sign({ target: '/' })
    await send(address, signed)
    await send(address, signed)
    expect(seen.map(({ headers }) => headers['signed-request-verdict'])).toEqual(['verified', 'verified'])
  })

  test('answers 413 to what is too large to be read, and has it in the log', async () => {
    const { address, seen, over } = await start({ observe: true, verifier: { ...service.options, maxBodyBytes: 10 } })
    expect(statusesOf(await send(address, service.sign({ target: '/', body: 'x'.repeat(11) })))).toEqual([413])
    expect(await over(1)).toMatchObject([{ status: 413, upstream: 'not-asked' }])
    expect(seen).toEqual([])
  })

  test('answers 413 to a body that is too large, also when nothing is signed', async () => {
    const verifier = { ...service.options, maxBodyBytes: 10 }
    const { address, seen, over } = await start({ observe: true, verifier })
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const answer = await exchangeBytes(address, Buffer.from(`${head}b\r\n${'x'.repeat(11)}\r\n0\r\n\r\n`))
    expect(statusesOf(answer)).toEqual([413])
    expect((await over(1))[0]!.body).toBeUndefined()
    expect(seen).toEqual([])
  })

  test('does not forward a body that breaks off', async () => {
    const { address, seen, over } = await start({ observe: true })
    const bytes = wire(service.sign({ target: '/', body: 'x'.repeat(11) }))
    const socket = connect(port(address), '127.0.0.1')
    socket.end(bytes.subarray(0, -1))
    expect(await over(1)).toMatchObject([{ status: 0, upstream: 'not-asked', body: undefined }])
    expect(seen).toEqual([])
  })
})

describe('ending', () => {
  test('lets a running request end, and refuses new connections', async () => {
    let finish = () => {}
    const { address, seen, close } = await start({}, res => {
      finish = () => res.end('done')
    })
    const idle = connect(port(address), '127.0.0.1')
    await once(idle, 'connect')
    // Kept alive, as its sender asks for no end.
    const answer = exchangeBytes(address, wire(service.sign({ target: '/hook' })))
    while (seen.length === 0) await new Promise(setImmediate)
    const closed = close()
    await once(idle, 'close')
    const [error] = await once(connect(port(address), '127.0.0.1'), 'error')
    expect(error.code).toBe('ECONNREFUSED')
    finish()
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close[\s\S]*done$/)
    expect(await closed).toBe(true)
  })

  test('lets the upstream finish for a sender that disconnected', async () => {
    let finish = () => {}
    const { address, seen, close, over } = await start({}, res => {
      finish = () => res.end('done')
    })
    const sender = connect(port(address), '127.0.0.1')
    sender.write(wire(service.sign({ target: '/hook' })))
    while (seen.length === 0) await new Promise(setImmediate)
    sender.destroy()
    const closed = close()
    setTimeout(finish, 200)
    expect(await closed).toBe(true)
    expect(await over(1)).toMatchObject([{ upstream: 'answered' }])
  })

  test('sends an answer to its end to a slow sender', async () => {
    const certificate = await makeCertificate('receiver.example')
    const { address, over, close } = await start({ tls: certificate, https: undefined }, res =>
      res.end(Buffer.alloc(3_000_000, 'x'))
    )
    const { method, target, headers } = service.sign({ method: 'GET', target: '/hook' })
    const request = httpsRequest({
      host: '127.0.0.1',
      port: port(address),
      servername: 'receiver.example',
      ca: certificate.cert,
      method,
      path: target,
      headers: [...(headers as Iterable<readonly [string, string]>)].flat()
    })
    request.end()
    const [answer] = await once(request, 'response')
    const closed = close()
    let length = 0
    for await (const chunk of answer) length += chunk.length
    expect(length).toBe(3_000_000)
    expect(await over(1)).toMatchObject([{ status: 200, https: true }])
    expect(await closed).toBe(true)
  })

  test('aborts what is left at the limit, releases its claim and answers 502', async () => {
    const { address, seen, close, over } = await start({ drain: 50 }, () => {})
    const answer = exchangeBytes(address, wire(service.sign({ target: '/hook' })))
    while (seen.length === 0) await new Promise(setImmediate)
    expect(await close()).toBe(false)
    expect(statusesOf(await answer)).toEqual([502])
    expect(await over(1)).toMatchObject([{ upstream: 'broken-off', status: 502 }])
  })

  test('a request that is verified only after that does not reach the upstream', async () => {
    let answerDns = () => {}
    const lookupTxt: typeof service.lookupTxt = async (...args) => {
      await new Promise<void>(resolve => {
        answerDns = resolve
      })
      return service.lookupTxt(...args)
    }
    const { address, seen, close } = await start({ drain: 0, verifier: { ...service.options, lookupTxt } })
    const answer = exchangeBytes(address, wire(service.sign({ target: '/hook' })))
    const noDns = answerDns
    while (answerDns === noDns) await new Promise(setImmediate)
    const closed = close()
    expect(await answer).toBe('')
    answerDns()
    expect(await closed).toBe(false)
    expect(seen).toEqual([])
  })
})
