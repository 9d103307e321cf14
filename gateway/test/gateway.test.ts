import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { rfc9421 } from 'signed-requests/rfc9421'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate, open as openTls } from '../../test/support/https.ts'
import { CHALLENGE, service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { ANY_ACCOUNT } from '../src/seen-accounts.ts'
import {
  countTimers,
  heldDns,
  open,
  start,
  startInFront,
  startRaw,
  withoutDns,
  withTinyBodies
} from './for-one-test.ts'
import { startSockets } from './sockets.ts'

const ofSize = (size: number) => service.sign({ target: '/', body: 'x'.repeat(size) })

describe('one request', () => {
  test('one request is forwarded byte for byte, and so is its answer', async () => {
    const { address, over, seen } = await start()
    const body = Buffer.from([0xff, 0x00, 0x0d, 0x0a])
    const sent = { method: 'POST', target: '//hook/%2F/a?b=%00&c=' }
    expect(await send(address, service.sign({ ...sent, body }))).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\ndone$/)
    expect(seen).toMatchObject([{ ...sent, body }])
    expect(await over(1)).toMatchObject([{ ...sent, status: 200, upstream: 'answered', https: true }])
  })

  test('a forged request is refused, and the upstream not asked', async () => {
    const { statuses, over, seen } = await start()
    expect(await statuses({ ...service.sign({ body: 'signed' }), target: '/other' })).toEqual([401])
    expect(await over(1)).toMatchObject([{ status: 401, upstream: 'not-asked', verdict: { status: 'rejected' } }])
    expect(seen).toEqual([])
  })

  test('a refusal says what has to be signed, whatever the request is, and no other answer does', async () => {
    const headOf = async (address: string, request: Parameters<typeof send>[1]) => {
      const [head = ''] = String(await send(address, request)).split('\r\n\r\n')
      return head.replace(/\r\nDate: .*/, '')
    }
    const signed = service.sign({ target: '/hook' })
    const { address } = await start()
    const forged = await headOf(address, { ...signed, target: '/other' })
    expect(forged).toContain(`\r\nWWW-Authenticate: ${CHALLENGE}`)
    expect(await headOf(address, { ...signed, headers: signed.headers.slice(0, 1) })).toBe(forged)
    expect(await headOf(address, signed)).not.toContain('WWW-Authenticate')
    const { address: both } = await start({ verifier: { ...service.options, schemes: [rfc9421] } })
    expect(await headOf(both, signed)).toMatch(/\r\nAccept-Signature: /)
  })

  test('a request is accepted once', async () => {
    const { statuses, seen } = await start()
    const signed = service.sign({ target: '/hook', body: 'once' })
    expect([await statuses(signed), await statuses(signed)]).toEqual([[200], [401]])
    expect(seen).toHaveLength(1)
  })

  test('a request is accepted repeatedly with --replay none, and has no id', async () => {
    const { statuses, seen } = await start({ replay: { kind: 'none' } })
    const signed = service.sign({ target: '/hook' })
    expect([await statuses(signed), await statuses(signed)]).toEqual([[200], [200]])
    expect(seen).toMatchObject([{}, { headers: { 'signed-request-account': '1234' } }])
    expect(seen[1]!.headers).not.toHaveProperty('signed-request-id')
  })

  test('a request that is too large is 413, and is not read to its end', async () => {
    const { statuses, seen } = await start({ verifier: withTinyBodies })
    expect([await statuses(ofSize(11)), await statuses(ofSize(10))]).toEqual([[413], [200]])
    expect(seen).toHaveLength(1)
  })

  test('a request is 503 with Retry-After when DNS does not answer', async () => {
    const { address, seen } = await start({ verifier: withoutDns })
    expect(await send(address, service.sign())).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 10/)
    expect(seen).toEqual([])
  })

  test('a request for * or of CONNECT is not forwarded, but logged', async () => {
    const { address, statuses, seen, malformed } = await start()
    expect(await statuses(service.sign({ method: 'OPTIONS', target: '*' }))).toEqual([400])
    expect(await statuses(service.sign({ method: 'POST', target: '*' }))).toEqual([400])
    const connecting = wire(service.sign({ method: 'POST', target: '/' }))
      .toString()
      .replace('POST / ', 'CONNECT receiver.example:443 ')
    expect(statusesOf(await exchangeBytes(address, Buffer.from(connecting)))).not.toContain(200)
    expect(seen).toEqual([])
    const refused = { status: 400, reason: 'target' }
    expect(malformed).toMatchObject([refused, refused])
  })
})

describe('a status for refusals', () => {
  test.each([
    [503, /\r\nRetry-After: \d+\r\n/],
    [403, /^(?![\s\S]*(?:Retry-After|WWW-Authenticate))/]
  ])(
    'a refusal has the status %d instead of 401, and the same bytes are accepted once they are right',
    async (refusalStatus, head) => {
      const { address, statuses, seen } = await start({ refusalStatus })
      const signed = service.sign({ target: '/hook' })
      const answer = await send(address, { ...signed, target: '/other' })
      expect(statusesOf(answer)).toEqual([refusalStatus])
      expect(answer).toMatch(head)
      expect(await statuses(signed)).toEqual([200])
      expect(seen.map(({ target }) => target)).toEqual(['/hook'])
    }
  )

  test.each([
    ['not that of what cannot be decided: 503', { refusalStatus: 403, verifier: withoutDns }],
    ['that of a body that is too large', { refusalStatus: 503, verifier: withTinyBodies }]
  ])('the status for refusals is %s', async (_, settings) => {
    const { statuses } = await start(settings)
    expect(await statuses(ofSize(11))).toEqual([503])
  })
})

describe('observing', () => {
  test('forwards everything with its mark, which a sender cannot set', async () => {
    const { statuses, seen, over } = await start({ observe: true })
    const signed = service.sign({ target: '/hook', body: 'body' })
    for (const body of ['body', 'body', 'bodY']) {
      const forged = [
        ['signed-request-verdict', 'verified'],
        ['Signed_Request_Account', '9']
      ] as const
      expect(await statuses({ ...signed, body: Buffer.from(body) }, forged)).toEqual([200])
    }
    const sawOf = (name: string) => seen.map(({ headers }) => headers[name])
    expect(sawOf('signed-request-verdict')).toEqual(['verified', 'verified', 'rejected; digest-mismatch'])
    expect(sawOf('signed-request-account')).toEqual(['1234', '1234', undefined])
    expect(seen.map(({ body }) => body.toString())).toEqual(['body', 'body', 'bodY'])
    expect(seen.flatMap(({ rawHeaders }) => rawHeaders)).not.toContain('Signed_Request_Account')
    expect((await over(3))[2]).toMatchObject({ status: 200, upstream: 'answered', body: Buffer.from('bodY') })
  })

  test('sets the id, the same for the same bytes, and claims nothing', async () => {
    const { statuses, seen } = await start({ observe: true })
    const signed = service.sign({ target: '/' })
    for (let i = 0; i < 2; i++) await statuses(signed)
    const [first, second] = seen.map(({ headers }) => headers['signed-request-id'])
    expect(first).toMatch(/\S/)
    expect(second).toBe(first)
  })

  test('while observing without --account, each account is verified, and the log has the line to write', async () => {
    const verifier = { ...service.options, accounts: ANY_ACCOUNT }
    const { statuses, seen, over } = await start({ observe: true, verifier })
    const of = (id: string) => service.sign({ target: '/', headers: { 'X-Service-ID': `account-${id}` } })
    await statuses(of('77'))
    await statuses({ ...of('99'), target: '/other' })
    expect((await over(2)).map(({ finding }) => finding)).toEqual([
      '--account is not set; if account 77 is yours, write --account 77',
      undefined
    ])
    expect(seen.map(({ headers }) => headers['signed-request-account'])).toEqual(['77', undefined])
  })

  test('forwards what is not signed at all', async () => {
    const { address, seen } = await start({ observe: true })
    const head = 'GET /a HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n'
    expect(statusesOf(await exchangeBytes(address, Buffer.from(head)))).toEqual([200])
    const codes = 'date-missing, host-mismatch, account-missing, signature-missing, digest-missing'
    expect(seen[0]!.headers).toMatchObject({ host: 'other.example', 'signed-request-verdict': `rejected; ${codes}` })
  })

  test('refuses more lines than every server reads, and our own lines come first among the others', async () => {
    const { address, seen, over } = await start({ observe: true })
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: 1\r\n`).join('')
    const head = (count: number) => `GET /a HTTP/1.1\r\nHost: a\r\n${lines(count - 2)}Connection: close\r\n\r\n`
    for (const count of [500, 501, 1100]) await exchangeBytes(address, Buffer.from(head(count)))
    expect(seen.map(({ rawHeaders }) => rawHeaders.length / 2)).toEqual([501])
    // The lines that end at this hop come first.
    const names = seen[0]!.rawHeaders.filter((_, i) => i % 2 === 0)
    expect(names.slice(0, 4)).toEqual(['host', 'connection', 'Signed-Request-Verdict', 'X-0'])
    const tooMany = { status: 401, upstream: 'not-asked', verdict: { failures: [{ code: 'request-malformed' }] } }
    expect(await over(3)).toMatchObject([{ status: 200 }, tooMany, tooMany])
  })

  test('while observing, a request with two Hosts is not forwarded: the upstream might read another one', async () => {
    const { address, seen, malformed } = await start({ observe: true })
    const head = 'GET /a HTTP/1.1\r\nHost: other.example\r\nHost: receiver.example\r\nConnection: close\r\n\r\n'
    expect(statusesOf(await exchangeBytes(address, Buffer.from(head)))).toEqual([400])
    expect(malformed).toMatchObject([{ status: 400, reason: 'host' }])
    expect(seen).toEqual([])
  })

  test('marks what could not be decided', async () => {
    const { statuses, seen } = await start({ observe: true, verifier: withoutDns })
    await statuses(service.sign())
    expect(seen[0]!.headers['signed-request-verdict']).toBe('unavailable; key-lookup-failed')
  })

  test('accepts a retry after a failure of the upstream, as without observing', async () => {
    const { statuses, seen } = await start({ observe: true }, (res, _, count) =>
      res.writeHead(count === 1 ? 500 : 200).end()
    )
    const signed = service.sign({ target: '/' })
    expect([await statuses(signed), await statuses(signed)]).toEqual([[500], [200]])
    expect(seen.map(({ headers }) => headers['signed-request-verdict'])).toEqual(['verified', 'verified'])
  })

  const unsigned = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
  const inChunks = 'Transfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n'
  test.each([
    ['signed', wire(ofSize(11), [['Connection', 'close']]), 'not-asked'],
    ['not signed', Buffer.from(`${unsigned}Content-Length: 11\r\n\r\n01234567890`), 'not-asked'],
    ['not signed, in chunks', Buffer.from(unsigned + inChunks), 'upload-failed']
  ])('answers 413 to a body that is too large and %s, and has it in the log', async (_, bytes, upstream) => {
    const { address, seen, over } = await start({ observe: true, verifier: withTinyBodies })
    expect(statusesOf(await exchangeBytes(address, bytes))).toEqual([413])
    expect(await over(1)).toMatchObject([{ status: 413, upstream, body: undefined }])
    expect(seen).toEqual([])
  })

  const NOT_SIGNED = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234'
  test('a body that breaks off on its way to the upstream is the fault of its sender', async () => {
    const url = await startRaw(() => {})
    const { address, over } = await startInFront(url, { observe: true })
    open(address, Buffer.from(NOT_SIGNED)).end()
    const [exchange] = await over(1)
    const noError = { upstream: 'upload-failed', upstreamError: undefined }
    expect(exchange).toMatchObject({ ...noError, verdict: { status: 'rejected' } })
  })

  test('an upstream that breaks off while its request is being sent is at fault', async () => {
    const url = await startRaw(socket => socket.resetAndDestroy())
    const { address, over } = await startInFront(url, { observe: true })
    expect(await exchangeBytes(address, Buffer.from(NOT_SIGNED), /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 502 /)
    expect(await over(1)).toMatchObject([{ status: 502, upstream: 'broken-off' }])
  })

  test('passes on an answer that begins and goes on while its request is still being sent', async () => {
    const { url, close } = await startSockets(socket => {
      const parts = ['HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\nfirst', 'other', 'third']
      // The upstream answers each piece of the request with a piece of the response.
      socket.on('data', () => socket.write(parts.shift() ?? ''))
    })
    onTestFinished(close)
    const { address, over } = await startInFront(url, { observe: true })
    const socket = open(address, Buffer.from(NOT_SIGNED))
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
      if (answer.endsWith('first')) socket.write('567')
      if (answer.endsWith('other')) socket.write('89')
    })
    await until(() => answer.endsWith('third'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nfirstotherthird$/s)
    expect(await over(1)).toMatchObject([{ status: 200, upstream: 'answered' }])
  })

  test('while observing, a body that breaks off is not forwarded', async () => {
    const { address, seen, over } = await start({ observe: true })
    open(address, wire(ofSize(11)).subarray(0, -1)).end()
    expect(await over(1)).toMatchObject([{ status: 0, upstream: 'not-asked', body: undefined }])
    expect(seen).toEqual([])
  })
})

describe('ending', () => {
  /** Starts a gateway whose upstream answers only after `finish`. */
  async function startHeld(settings?: Parameters<typeof start>[0]) {
    let finish = () => {}
    const gateway = await start(settings, res => {
      finish = () => res.end('done')
    })
    return { ...gateway, isRunning: () => until(() => gateway.seen.length), finish: () => finish() }
  }
  const bytes = () => wire(service.sign({ target: '/hook' }))

  test('a gateway that ends lets a running request end, and refuses new connections', async () => {
    const { address, isRunning, close, finish } = await startHeld()
    const idle = open(address, Buffer.of())
    await once(idle, 'connect')
    // The connection is kept alive, because its sender does not ask to close it.
    const answer = exchangeBytes(address, bytes())
    await isRunning()
    const before = countTimers()
    const closed = close()
    // The limit of --drain does not keep the process.
    expect(countTimers()).toBe(before)
    await once(idle, 'close')
    const [error] = await once(connect(Number(address.split(':')[1]), '127.0.0.1'), 'error')
    expect(error.code).toBe('ECONNREFUSED')
    finish()
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close[\s\S]*done$/)
    expect([await closed, await close()]).toEqual([true, true])
  })

  test('a gateway that ends lets the upstream finish for a sender that disconnected', async () => {
    const { address, isRunning, close, finish, over } = await startHeld()
    const sender = open(address, bytes())
    await isRunning()
    sender.destroy()
    const closed = close()
    setTimeout(finish, 200)
    expect(await closed).toBe(true)
    expect(await over(1)).toMatchObject([{ upstream: 'answered' }])
  })

  test('sends an answer to its end to a slow sender', async () => {
    const tls = await makeCertificate('receiver.example')
    const { address, over, close } = await start({ tls, https: undefined }, res => res.end(Buffer.alloc(3_000_000)))
    const to = { host: 'receiver.example', port: Number(address.split(':')[1]), cert: tls.cert }
    const request = openTls(service.sign({ target: '/hook' }), to).end()
    const [answer] = await once(request, 'response')
    const closed = close()
    expect(await buffer(answer)).toHaveLength(3_000_000)
    expect(await over(1)).toMatchObject([{ status: 200, https: true }])
    expect(await closed).toBe(true)
  })

  test('aborts what is left at the limit, releases its claim and answers 502', async () => {
    const { address, isRunning, close, over } = await startHeld({ drain: 50 })
    const answer = exchangeBytes(address, bytes())
    await isRunning()
    expect(await close()).toBe(false)
    expect(statusesOf(await answer)).toEqual([502])
    expect(await over(1)).toMatchObject([{ upstream: 'broken-off', status: 502 }])
  })

  test('a request that is verified only after that does not reach the upstream', async () => {
    const { verifier, isAsked, answerDns } = heldDns()
    const { address, seen, close } = await start({ drain: 0, verifier })
    const answer = exchangeBytes(address, bytes())
    await isAsked()
    const closed = close()
    expect(await answer).toBe('')
    answerDns()
    expect(await closed).toBe(false)
    expect(seen).toEqual([])
  })
})
