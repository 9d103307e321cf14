import { once } from 'node:events'
import { connect } from 'node:net'
import type { RequestRecorder } from 'signed-requests/recorder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CHECK_NAMES } from '../../../src/internal/index.ts'
import { service, withHeaders } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { exchangeBytes, statusesOf } from '../../../test/support/wire.ts'
import { MAX_SILENT, startAdmin } from '../../src/admin/admin.ts'
import { ask, listen, startTestAdmin, testAdminSettings } from '../support/admin.ts'
import { exchangeOf } from '../support/exchanges.ts'

const CSP = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const PATHS = ['/', '/page.js', '/events', '/metrics', '/requests/1']
const signed = () => service.sign({ target: '/hook', body: '{"id":1}' })
const refused = (recorder: RequestRecorder) =>
  exchangeOf(withHeaders(signed(), { Host: 'other.example' }), {}, { recorder })

/** Sends requests with these headers, one after the other; returns their statuses. */
async function statuses(port: number, asked: readonly Record<string, string>[], path = '/'): Promise<number[]> {
  const all: number[] = []
  for (const headers of asked) all.push((await ask(port, path, { headers })).status)
  return all
}

describe('every answer', () => {
  test.each('/ /page.js /page.css /icon.svg /metrics /healthz /nothing /requests/1'.split(' '))(
    '%s forbids what is not the page’s own, guessing types, keeping and telling',
    async path => {
      const { port } = await startTestAdmin()
      expect((await ask(port, path)).headers).toMatchObject({
        'content-security-policy': CSP,
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer'
      })
    }
  )

  test.each([{ headers: { Host: 'evil.example' } }, { method: 'POST' }])(
    'every refusal forbids the same: %j',
    async options => {
      const { port } = await startTestAdmin()
      expect((await ask(port, '/', options)).headers['content-security-policy']).toBe(CSP)
    }
  )
})

describe('the page', () => {
  test.each([
    ['/', 'text/html'],
    ['/page.js', 'text/javascript'],
    ['/page.css', 'text/css']
  ])('the page has %s as %s', async (path, type) => {
    const { port } = await startTestAdmin()
    const { status, headers, body } = await ask(port, path)
    expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`])
    expect(body.length).toBeGreaterThan(500)
  })

  test('the page has no script, style or handler in its markup', async () => {
    const { port } = await startTestAdmin()
    const { body } = await ask(port)
    expect(body).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:|https?:\/\//i)
  })

  test.each('/../page.js /page/page.js /%2e%2e/page-files.ts //page.js /page.js/ http://evil.example/'.split(' '))(
    '%s is not found',
    async path => {
      const { port } = await startTestAdmin()
      expect((await ask(port, path)).status).toBe(404)
    }
  )
})

describe('without a token', () => {
  test('accepts the names of the admin address', async () => {
    const { port } = await startTestAdmin()
    const hosts = ['127.0.0.1', 'localhost', 'LocalHost', '[::1]'].map(host => ({ Host: `${host}:${port}` }))
    expect(await statuses(port, hosts)).toEqual(hosts.map(() => 200))
  })

  test.each([
    'evil.example',
    'evil.example:PORT',
    'localhost',
    '127.0.0.1',
    'localhost:1',
    '127.0.0.1.evil.example:PORT',
    'localhost:PORT@evil.example',
    '127.0.0.2:PORT'
  ])('refuses another name, which an attacker may have pointed here: %s', async name => {
    const { port, record } = await startTestAdmin()
    record(await exchangeOf(signed()))
    const Host = name.replace('PORT', `${port}`)
    for (const path of PATHS) expect([path, ...(await statuses(port, [{ Host }], path))]).toEqual([path, 403])
  })

  test('refuses a request without a Host', async () => {
    const { port } = await startTestAdmin()
    expect(statusesOf(await exchangeBytes(port, Buffer.from('GET / HTTP/1.0\r\n\r\n')))).toEqual([403])
  })

  test.each(['::1', '[::1]'])('listens on IPv6 too: %s', async host => {
    const { address } = await startTestAdmin({ address: { host, port: 0 } })
    expect(address).toMatch(/^\[::1\]:\d+$/)
    expect((await fetch(`http://${address}/`)).status).toBe(200)
  })
})

describe('with a token', () => {
  const token = 's3cret: with a colon'
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test('asks for it on every path but /healthz', async () => {
    const { port } = await startTestAdmin({ token })
    for (const path of [...PATHS, '/nothing']) {
      const { status, headers } = await ask(port, path)
      expect([path, status, headers['www-authenticate']]).toEqual([path, 401, 'Basic realm="signed-requests"'])
    }
    expect(await ask(port, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
  })

  test('with a token, the page accepts it as the password of Basic, with any user name', async () => {
    const { port } = await startTestAdmin({ token, address: { host: '0.0.0.0', port: 0 } })
    const users = ['', 'admin'].map(user => ({ Host: 'gateway.example', ...basic(`${user}:${token}`) }))
    expect(await statuses(port, users)).toEqual([200, 200])
  })

  test('with a token, the page accepts it as a Bearer token', async () => {
    const { port } = await startTestAdmin({ token: 'abc.DEF-1' })
    const schemes = ['Bearer', 'bearer'].map(scheme => ({ Authorization: `${scheme} abc.DEF-1` }))
    expect(await statuses(port, schemes, '/metrics')).toEqual([200, 200])
  })

  test('rejects near-miss tokens', async () => {
    const { port } = await startTestAdmin({ token: 'abc' })
    const bearers = ['', ' ', ' ab', ' abcd', ' ABC', ' abc x'].map(text => `Bearer${text}`)
    const wrong = [
      ...['', 'abc', 'Digest abc', ...bearers].map(Authorization => ({ Authorization })),
      basic('abc:'),
      basic(':ab')
    ]
    expect(await statuses(port, wrong)).toEqual(wrong.map(() => 401))
  })

  test('asks for it on a loopback address too, whatever the Host', async () => {
    const { port } = await startTestAdmin({ token, address: { host: '127.0.0.1', port: 0 } })
    expect(await statuses(port, [{ Host: `127.0.0.1:${port}` }, { Host: `localhost:${port}` }])).toEqual([401, 401])
  })
})

describe('methods', () => {
  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])('refuses %s', async method => {
    const { port } = await startTestAdmin()
    for (const path of ['/', '/healthz', '/events'])
      expect(await ask(port, path, { method })).toMatchObject({
        ...{ status: 405, headers: { allow: 'GET, HEAD' }, body: 'Only GET and HEAD.\n' }
      })
  })

  test('answers HEAD without a body, and ends it', async () => {
    const { port } = await startTestAdmin()
    for (const path of ['/', '/healthz', '/metrics', '/events'])
      expect(await ask(port, path, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  })

  test('says which requests it has as a stream of events', async () => {
    const { port } = await startTestAdmin()
    const { headers } = await ask(port, '/events', { method: 'HEAD' })
    expect(headers['content-type']).toBe('text/event-stream')
  })
})

test('says on /healthz, without a token, whether the gateway takes requests', async () => {
  let isReady = true
  const { port } = await startTestAdmin({ isReady: () => isReady })
  const headers = { Host: '10.1.2.3' }
  const type = { 'content-type': 'text/plain; charset=utf-8' }
  expect(await ask(port, '/healthz', { headers })).toMatchObject({ status: 200, body: 'ok\n', headers: type })
  isReady = false
  expect(await ask(port, '/healthz', { headers })).toMatchObject({ status: 503, body: 'draining\n' })
})

describe('one request', () => {
  /** Starts an admin address with one refused request, and returns that request's number. */
  async function startWithOne() {
    const { port, record, recorder } = await startTestAdmin()
    record(await refused(recorder))
    const page = listen(port)
    await page.hasRows(1)
    return { port, number: page.rows()[0]!.number }
  }

  test('one request is returned whole, by its number', async () => {
    const { port, number } = await startWithOne()
    const { status, body } = await ask(port, `/requests/${number}`)
    expect(status).toBe(200)
    const detail = JSON.parse(body)
    expect(detail).toMatchObject({ method: 'POST', target: '/hook', outcome: 'refused', note: 'host-mismatch' })
    expect(detail.diagnosis.checks.map(({ check }: { check: string }) => check)).toEqual(CHECK_NAMES)
    expect(detail.diagnosis.failures[0]).toMatchObject({ code: 'host-mismatch' })
  })

  test('a request is not found by another number', async () => {
    const { port, number } = await startWithOne()
    for (const other of [0, 1, number + 1, -number, `${number}x`, `0x${number}`, `${number}/`, `${number}0`])
      expect([other, (await ask(port, `/requests/${other}`)).status]).toEqual([other, 404])
    expect((await ask(port, `/more/requests/${number}`)).status).toBe(404)
  })

  test('a request is not found by its number after a restart', async () => {
    const { number } = await startWithOne()
    const { port } = await startWithOne()
    const body = 'There is no such page, or it is no longer kept.\n'
    expect(await ask(port, `/requests/${number}`)).toMatchObject({ status: 404, body })
  })
})

describe('150 connections that send half a head', () => {
  const halfHeads = async (port: number) => {
    const sockets = Array.from({ length: 150 }, () => connect(port, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (const socket of sockets) socket.resume()
    const opened = () => sockets.filter(socket => !socket.closed)
    // The server has seen them all when it has closed all but these.
    await until(() => opened().length === MAX_SILENT)
    return opened()
  }

  test('150 connections that send half a head keep nobody from /healthz and /metrics', async () => {
    const { port } = await startTestAdmin()
    await halfHeads(port)
    for (const path of ['/healthz', '/metrics']) {
      const start = performance.now()
      expect((await ask(port, path)).status).toBe(200)
      expect(performance.now() - start).toBeLessThan(5000)
    }
  })

  test('150 connections that send half a head do not close a page that is open', async () => {
    const { port, record, recorder } = await startTestAdmin()
    const page = listen(port)
    await page.hasBatches(1)
    await halfHeads(port)
    record(await refused(recorder))
    await page.hasRows(1)
  })

  test('of 150 connections that send half a head, 64 stay open and can still send the rest', async () => {
    const { port } = await startTestAdmin()
    const left = await halfHeads(port)
    // Without the limit, all are closed together after some seconds.
    const responses = left.map(async socket => {
      const closed = once(socket, 'close')
      let text = ''
      socket.on('data', part => {
        text += part
      })
      socket.write('\r\n\r\n')
      await closed
      return text.split('\r\n', 1)[0]
    })
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['HTTP/1.1 403 Forbidden']))
  })

  test('150 connections that send half a head are closed after some seconds', async () => {
    const { port } = await startTestAdmin()
    const start = performance.now()
    const sockets = await halfHeads(port)
    await Promise.all(
      sockets.map(socket => socket.destroyed || new Promise(resolve => socket.resume().once('close', resolve)))
    )
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

test('closes with pages that are open', async () => {
  const admin = await startAdmin(testAdminSettings())
  const page = listen(Number(new URL(`http://${admin.address}`).port))
  await page.hasBatches(1)
  await admin.close()
  await page.ended()
})

const rejects = (host: string, port: number, why: string) =>
  expect(startTestAdmin({ address: { host, port }, token: 'a'.repeat(32) })).rejects.toThrow(
    `cannot listen on ${host}:${port} (--listen or --admin): ${why}`
  )

test('rejects for an address of another machine', () => rejects('192.0.2.1', 0, 'address not available'))

test('rejects when the port is taken', async () => {
  const { port } = await startTestAdmin()
  await rejects('127.0.0.1', port, 'address already in use')
})
