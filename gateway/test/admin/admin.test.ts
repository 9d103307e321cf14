import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAdmin } from '../../src/admin/admin.ts'
import { ask, listen, service, startTestAdmin, testAdminSettings } from '../support/admin.ts'
import { exchangeOf, withHeader } from '../support/exchanges.ts'

const CSP = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const signed = () => service.sign({ target: '/hook', body: '{"id":1}' })
const verified = () => exchangeOf(signed(), service.options)
const refused = () => exchangeOf(withHeader(signed(), 'Host', 'other.example'), service.options)

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

  test('so do refusals', async () => {
    const { port } = await startTestAdmin()
    for (const options of [{ headers: { Host: 'evil.example' } }, { method: 'POST' }]) {
      expect((await ask(port, '/', options)).headers['content-security-policy']).toBe(CSP)
    }
  })
})

describe('the page', () => {
  test('has its files with their types', async () => {
    const { port } = await startTestAdmin()
    const types = { '/': 'text/html', '/page.js': 'text/javascript', '/page.css': 'text/css' }
    for (const [path, type] of Object.entries(types)) {
      const { status, headers, body } = await ask(port, path)
      expect({ path, status, type: headers['content-type'] }).toEqual({
        path,
        status: 200,
        type: `${type}; charset=utf-8`
      })
      expect(body.length).toBeGreaterThan(500)
    }
  })

  test('has no script, style or handler in its markup', async () => {
    const { port } = await startTestAdmin()
    const { body } = await ask(port)
    expect(body).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:|https?:\/\//i)
  })

  test.each([
    '/../page.js',
    '/page/page.js',
    '/%2e%2e/page-files.ts',
    '//page.js',
    '/page.js/',
    'http://evil.example/'
  ])('%s is not found', async path => {
    const { port } = await startTestAdmin()
    expect((await ask(port, path)).status).toBe(404)
  })
})

describe('without a token', () => {
  test('accepts the names of the admin address', async () => {
    const { port } = await startTestAdmin()
    for (const host of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]']) {
      expect((await ask(port, '/', { headers: { Host: `${host}:${port}` } })).status).toBe(200)
    }
  })

  test('refuses other names, which a stranger may have pointed here', async () => {
    const admin = await startTestAdmin()
    admin.record(await verified())
    const { port } = admin
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      'localhost',
      '127.0.0.1',
      'localhost:1',
      `127.0.0.1.evil.example:${port}`,
      `localhost:${port}@evil.example`,
      `127.0.0.2:${port}`
    ]
    for (const host of hosts) {
      for (const path of ['/', '/events', '/metrics', '/page.js', '/requests/1']) {
        expect([host, path, (await ask(port, path, { headers: { Host: host } })).status]).toEqual([host, path, 403])
      }
    }
  })

  test('refuses a request without a Host', async () => {
    const { port } = await startTestAdmin()
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(port, '127.0.0.1')
      socket.end('GET / HTTP/1.0\r\n\r\n')
      socket
        .setEncoding('utf8')
        .on('data', part => {
          text += part
        })
        .on('end', () => resolve(text))
        .on('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1.1 403 /)
  })

  test('listens on IPv6 too', async () => {
    for (const host of ['::1', '[::1]']) {
      const { address } = await startTestAdmin({ address: { host, port: 0 } })
      expect(address).toMatch(/^\[::1\]:\d+$/)
      expect((await fetch(`http://${address}/`)).status).toBe(200)
    }
  })
})

describe('with a token', () => {
  const token = 's3cret: with a colon'
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test('asks for it on every path but /healthz', async () => {
    const { port } = await startTestAdmin({ token })
    for (const path of ['/', '/page.js', '/events', '/metrics', '/requests/1', '/nothing']) {
      const { status, headers } = await ask(port, path)
      expect([path, status]).toEqual([path, 401])
      expect(headers['www-authenticate']).toBe('Basic realm="signed-requests"')
    }
    expect(await ask(port, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
  })

  test('accepts it as the password of Basic, with any user name', async () => {
    const { port } = await startTestAdmin({ token, address: { host: '0.0.0.0', port: 0 } })
    for (const user of ['', 'admin']) {
      const headers = { Host: 'gateway.example', ...basic(`${user}:${token}`) }
      expect((await ask(port, '/', { headers })).status).toBe(200)
    }
  })

  test('accepts it as a Bearer token', async () => {
    const { port } = await startTestAdmin({ token: 'abc.DEF-1' })
    for (const scheme of ['Bearer', 'bearer']) {
      expect((await ask(port, '/metrics', { headers: { Authorization: `${scheme} abc.DEF-1` } })).status).toBe(200)
    }
  })

  test('rejects near-miss tokens', async () => {
    const { port } = await startTestAdmin({ token: 'abc' })
    const wrong = [
      '',
      'abc',
      'Bearer',
      'Bearer ',
      'Bearer ab',
      'Bearer abcd',
      'Bearer ABC',
      'Digest abc',
      'Bearer abc x'
    ]
    for (const authorization of [...wrong.map(text => ({ Authorization: text })), basic('abc:'), basic(':ab')]) {
      expect([authorization, (await ask(port, '/', { headers: authorization })).status]).toEqual([authorization, 401])
    }
  })

  test('asks for it on a loopback address too, whatever the Host', async () => {
    const { port } = await startTestAdmin({ token, address: { host: '127.0.0.1', port: 0 } })
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect((await ask(port, '/', { headers: { Host: host } })).status).toBe(401)
  })
})

describe('methods', () => {
  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])('refuses %s', async method => {
    const { port } = await startTestAdmin()
    for (const path of ['/', '/healthz', '/events']) {
      const { status, headers } = await ask(port, path, { method })
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
    }
  })

  test('answers HEAD without a body, and ends it', async () => {
    const { port } = await startTestAdmin()
    for (const path of ['/', '/healthz', '/metrics', '/events']) {
      expect(await ask(port, path, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    }
  })
})

test('says on /healthz, without a token, whether the gateway takes requests', async () => {
  let isReady = true
  const { port } = await startTestAdmin({ isReady: () => isReady })
  const headers = { Host: '10.1.2.3' }
  expect(await ask(port, '/healthz', { headers })).toMatchObject({ status: 200, body: 'ok\n' })
  isReady = false
  expect(await ask(port, '/healthz', { headers })).toMatchObject({ status: 503, body: 'draining\n' })
})

describe('one request', () => {
  const open = async (port: number) => {
    const page = listen(port)
    await page.hasRows(1)
    return page.rows()[0]!.number
  }

  test('is returned whole', async () => {
    const admin = await startTestAdmin()
    admin.record(await refused())
    const { status, body } = await ask(admin.port, `/requests/${await open(admin.port)}`)
    expect(status).toBe(200)
    const detail = JSON.parse(body)
    expect(detail).toMatchObject({ method: 'POST', target: '/hook', outcome: 'refused', note: 'host-mismatch' })
    expect(detail.diagnosis.checks).toHaveLength(12)
    expect(detail.diagnosis.failures[0]).toMatchObject({ code: 'host-mismatch' })
  })

  test('is not found by another number', async () => {
    const admin = await startTestAdmin()
    admin.record(await refused())
    const number = await open(admin.port)
    for (const other of [0, 1, number + 1, -number, `${number}x`, `0x${number}`, `${number}/`, `${number}0`])
      expect([other, (await ask(admin.port, `/requests/${other}`)).status]).toEqual([other, 404])
  })

  test('is not found by its number after a restart', async () => {
    const first = await startTestAdmin()
    first.record(await refused())
    const number = await open(first.port)
    await new Promise(resolve => setImmediate(resolve))
    const second = await startTestAdmin()
    second.record(await refused())
    expect((await ask(second.port, `/requests/${number}`)).status).toBe(404)
  })
})

describe('150 connections that send half a head', () => {
  const halfHeads = async (port: number) => {
    const sockets = Array.from({ length: 150 }, () => connect(port, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))))
    return sockets
  }

  test('keep nobody from /healthz and /metrics', async () => {
    const { port } = await startTestAdmin()
    await halfHeads(port)
    for (const path of ['/healthz', '/metrics']) {
      const start = performance.now()
      expect((await ask(port, path)).status).toBe(200)
      expect(performance.now() - start).toBeLessThan(5000)
    }
  })

  test('do not close a page that is open', async () => {
    const admin = await startTestAdmin()
    const page = listen(admin.port)
    await page.hasBatches(1)
    await halfHeads(admin.port)
    admin.record(await refused())
    await page.hasRows(1)
  })

  test('are closed after some seconds', async () => {
    const { port } = await startTestAdmin()
    const start = performance.now()
    const sockets = await halfHeads(port)
    await Promise.all(
      sockets.map(socket => {
        socket.resume()
        return socket.destroyed || new Promise(resolve => socket.once('close', resolve))
      })
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

test('rejects for an address of another machine', async () => {
  await expect(startTestAdmin({ address: { host: '192.0.2.1', port: 0 }, token: 'a'.repeat(32) })).rejects.toThrow(
    'cannot listen on 192.0.2.1:0 (--listen or --admin): address not available'
  )
})

test('rejects when the port is taken', async () => {
  const { port } = await startTestAdmin()
  await expect(startTestAdmin({ address: { host: '127.0.0.1', port } })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port} (--listen or --admin): address already in use`
  )
})
