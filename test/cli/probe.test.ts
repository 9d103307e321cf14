import type { RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RESPONSE_TIMEOUT } from '../../cli/exchange.ts'
import { createVerifier, nodeHandler } from '../../src/index.ts'
import { makeCertificate } from '../support/https.ts'
import { runInside } from '../support/run-cli.ts'
import { service } from '../support/service.ts'
import { listenHere, send, serve } from './send/receiver.ts'

const verify = createVerifier(service.options)
const receive = nodeHandler(verify, () => {
  throw new Error('nothing here is signed')
})

/** Probes this URL; `text` is the output, without the line breaks inside a message. */
async function probe(url: string, ...flags: readonly string[]) {
  const { code, stdout } = await runInside(['probe', `${url}/hook`, ...flags])
  return { code, text: stdout.replace(/\n {24}/g, ' ') }
}
const probeListener = async (listener: RequestListener) => probe(await serve(listener))

/** Answers with a page. */
const page = (status: number, headers: Record<string, string>, title: string): RequestListener => {
  return (request, response) => {
    request.resume()
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(`<html><title>${title}</title></html>`)
  }
}

test('ends with 0 when the receiver itself refuses all', async () => {
  const { code, text } = await probeListener(receive)
  expect(text.replace(/ +/g, ' ').split('\n')).toEqual([
    'ok DNS 127.0.0.1 is 127.0.0.1',
    '-- TLS not run: the URL is http',
    'ok redirects none',
    'ok GET 401: refused by signed-requests',
    'ok POST 401: refused by signed-requests',
    'ok POST of 1 MB 401: refused by signed-requests',
    ''
  ])
  expect(code).toBe(0)
})

test('shows the marks in colour where that is possible: ok in green, FAIL in red, the others dim', async () => {
  const url = await serve(only('GET', ABSENT))
  const { stdout } = await runInside(['probe', `${url}/hook`], '', true)
  const colours = [...stdout.matchAll(/^\x1b\[(\d+)m(\S+)/gm)].map(([, code, mark]) => [code, mark?.slice(0, 4)])
  expect(colours).toEqual([
    ['32', 'ok\x1b['],
    ['2', '--'],
    ['32', 'ok\x1b['],
    ['32', 'ok\x1b['],
    ['31', 'FAIL'],
    ['31', 'FAIL']
  ])
})

test('passes a bot rule that refuses requests without User-Agent or Accept', async () => {
  const { code } = await probeListener((request, response) => {
    const isBot = !request.headers['user-agent'] || !request.headers.accept
    return isBot ? page(403, {}, 'Forbidden')(request, response) : receive(request, response)
  })
  expect(code).toBe(0)
})

test('takes the 503 of a receiver that is being introduced for a refusal', async () => {
  expect((await probeListener(nodeHandler(verify, () => {}, { onRefused: () => 503 }))).code).toBe(0)
})

/** Passes one method to the receiver, and the others to another listener. */
const only =
  (method: string, others: RequestListener): RequestListener =>
  (request, response) =>
    (request.method === method ? receive : others)(request, response)

const limited: RequestListener = (request, response) => {
  if (Number(request.headers['content-length']) < 512 * 1024) return void receive(request, response)
  response.writeHead(413, { Connection: 'close' }).end()
  request.resume()
}

const REDIRECT = page(301, { Location: 'https://www.a.example/hook', Server: 'nginx/1.22' }, '301')
const MOVED =
  /FAIL +redirects +301: .* turns POST into GET; give the service the last URL; .* https:\/\/www\.a\.example\/hook/
const CSRF = page(403, { 'X-Powered-By': 'Express' }, 'Forbidden')
const ABSENT = page(404, {}, 'Not found')
const MAINTENANCE = page(503, { 'Retry-After': '60', Server: 'Caddy' }, 'Back soon')
const BASIC = page(401, { 'WWW-Authenticate': 'Basic realm="x"' }, 'Login')
const OTHER = page(401, { 'WWW-Authenticate': 'Signature realm="api",headers="date"' }, 'API')

test.each<[what: string, RequestListener, says: RegExp]>([
  ['a redirect', REDIRECT, MOVED],
  ['a login page', page(200, {}, 'Sign in'), /FAIL +POST +200: accepted without a signature, .*page "Sign in"/],
  ['a server with control characters', page(200, { Server: '\x9b2J' }, 'Sign in'), /server: \\x9b2J/],
  ['a CSRF filter', only('GET', CSRF), /ok +GET +401.*\nFAIL +POST +403: .*CSRF filter.*x-powered-by: Express/],
  ['a maintenance page', MAINTENANCE, /FAIL +GET +503: a maintenance page.*server: Caddy, page "Back soon"/],
  ['a route for POST alone', only('POST', ABSENT), /FAIL +GET +404: there is no route for GET \/hook.*\nok +POST +401/],
  ['a login of another kind', BASIC, /FAIL +POST +401: something else asks for credentials.*Basic/],
  ['another verifier of signatures', OTHER, /FAIL +POST +401: something else asks for credentials/],
  ['a body limit', limited, /ok +POST +401.*\nFAIL +POST of 1 MB +413: a body limit in front of the verifier/]
])('%s in front: ends with 1, and says what', async (_, listener, says) => {
  const { code, text } = await probeListener(listener)
  expect([code, text]).toEqual([1, expect.stringMatching(says)])
})

describe('an odd answer', () => {
  const HEAD = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Signature\r\n\r\n'
  /** Sends this after a request, then `every` again and again, and keeps the connection. */
  const say = async (answer: string, every = '') => {
    const server = createServer(socket => {
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.write(answer)
          // Sent before the answer, it would be a part of the status line.
          const timer = setInterval(() => socket.write(every), 20)
          socket.on('close', () => clearInterval(timer))
        })
    })
    return `http://127.0.0.1:${await listenHere(server)}`
  }

  test.each([
    ['101 with Upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello'],
    ['101 alone', 'HTTP/1.1 101 Switching Protocols\r\n\r\n']
  ])('%s is an answer', async (_, answer) => {
    const url = await say(answer)
    const probed = await probe(url)
    expect(probed.text).toMatch(/^FAIL {2}GET {15}101: it switched to another protocol/m)
    expect(probed.code).toBe(1)
    expect(await send(url)).toMatchObject({ code: 1, stdout: expect.stringContaining('answer: 101 ') })
  })

  test('interim answers alone are not an answer', async () => {
    const url = await say('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200), 'HTTP/1.1 102 Processing\r\n\r\n')
    const { code, text } = await probe(url)
    expect([code, text]).toEqual([2, expect.stringContaining('only interim responses (1xx), without end')])
  })

  test('interim answers before the answer are passed over', async () => {
    const url = await say(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${HEAD}`)
    expect((await probe(url)).code).toBe(0)
  })

  test('2xx to CONNECT is an answer', async () => {
    expect((await send(await say('HTTP/1.1 200 OK\r\n\r\n'), ['--method', 'CONNECT'])).code).toBe(0)
  })

  test('a body that never ends is not waited for: the head has said all', async () => {
    expect((await probe(await say(HEAD, 'x'))).code).toBe(0)
  })
})

describe('not reached', () => {
  const greet = () => createServer(socket => socket.once('data', () => socket.end('SSH-2.0-x\r\n')))
  const NO_TLS = /^FAIL {2}TLS .*: it does not speak TLS as expected: is it http\? \(ERR_SSL_\w+\)$/m
  const NOBODY = /^FAIL {2}GET {15}127\.0\.0\.1:9: nothing listens there \(ECONNREFUSED\)$/m
  const https = async () => createHttpsServer(await makeCertificate('localhost'), receive)

  test.each<[situation: string, url: () => Promise<string>, says: RegExp]>([
    [
      'not HTTP',
      async () => `http://127.0.0.1:${await listenHere(greet())}`,
      /does not speak HTTP\/1: perhaps TLS, which needs https/
    ],
    ['not TLS', async () => (await serve(receive)).replace('http:', 'https:'), NO_TLS],
    ['nothing listens', async () => 'http://127.0.0.1:9', NOBODY],
    ['self-signed', async () => `https://localhost:${await listenHere(await https())}`, /^FAIL {2}TLS .*self-signed/m],
    ['no such name', async () => 'https://nothing.invalid', /^FAIL {2}DNS /m]
  ])('%s: ends with 2, and says so', async (_, url, says) => {
    const { code, text } = await probe(await url())
    expect([code, text]).toEqual([2, expect.stringMatching(says)])
  })
})

test('a server that accepts connections and does not answer over TLS is given up', async () => {
  const timeouts = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
  onTestFinished(() => timeouts.mockRestore())
  const server = createServer(socket => socket.on('error', () => {}))
  const { code, text } = await probe(`https://localhost:${await listenHere(server)}`)
  expect([code, text]).toEqual([2, expect.stringMatching(/^FAIL {2}TLS {15}localhost:\d+: /m)])
  expect(timeouts).toHaveBeenCalledWith(RESPONSE_TIMEOUT)
})

describe('--allow-self-signed', () => {
  test('takes any certificate on loopback, and says so', async () => {
    const server = createHttpsServer(await makeCertificate('localhost'), receive)
    const url = `https://localhost:${await listenHere(server)}`
    const { code, text } = await probe(url, '--allow-self-signed')
    expect(text).toMatch(/^ok {4}TLS .*any certificate is accepted \(--allow-self-signed\)$/m)
    expect(text).toMatch(/^ok {4}POST of 1 MB {6}401: refused by signed-requests$/m)
    expect(code).toBe(0)
    expect((await probe(url)).text).toMatch(/self-signed.*; --allow-self-signed accepts it, on loopback only$/m)
  })

  test('asks for the certificate of the name in the URL', async () => {
    // A server with several certificates chooses by the name (SNI). Each connection has one name, and the first is of
    // TLS alone.
    const asked: string[] = []
    const chooser = {
      SNICallback: (name: string, done: (error: null) => void) => {
        asked.push(name)
        done(null)
      }
    }
    const server = createHttpsServer({ ...(await makeCertificate('localhost')), ...chooser }, (request, response) => {
      asked.push(request.method!)
      receive(request, response)
    })
    await probe(`https://localhost:${await listenHere(server)}`, '--allow-self-signed')
    expect(asked.slice(0, 3)).toEqual(['localhost', 'localhost', 'GET'])
  })

  test('--allow-self-signed is for loopback only', async () => {
    const { code, stderr } = await runInside(['probe', 'https://a.example:84/b', '--allow-self-signed'])
    expect([code, stderr]).toEqual([64, expect.stringContaining(': probe https://localhost:84/b\n')])
  })
})
