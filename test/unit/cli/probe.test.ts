import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Server } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createVerifier, nodeHandler } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { makeCertificate } from '../../support/https.ts'
import { listen as listenOn } from '../../support/listen.ts'
import { runInside } from '../../support/run-cli.ts'

const verify = createVerifier(createTestService({ rsaBits: 1024 }).options)
const receive = nodeHandler(verify, () => {
  throw new Error('nothing here is signed')
})

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  return listenOn(server)
}

async function probe(listener: RequestListener) {
  const port = await listen(createServer(listener))
  const { code, stdout } = await runInside(['probe', `http://127.0.0.1:${port}/hook`])
  return { code, text: stdout.replace(/\n {24}/g, ' ') }
}

test('ends with 0 when the receiver itself refuses all', async () => {
  const { code, text } = await probe(receive)
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

test('passes a bot rule that refuses requests without User-Agent or Accept', async () => {
  const { code } = await probe((request, response) => {
    const isBot = !request.headers['user-agent'] || !request.headers.accept
    return isBot ? page(403, {}, 'Forbidden')(request, response) : receive(request, response)
  })
  expect(code).toBe(0)
})

test('takes the 503 of a receiver that is being introduced for a refusal', async () => {
  expect((await probe(nodeHandler(verify, () => {}, { onRefused: () => 503 }))).code).toBe(0)
})

const page = (status: number, headers: Record<string, string>, title: string): RequestListener => {
  return (request, response) => {
    request.resume()
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(`<html><title>${title}</title></html>`)
  }
}

describe('something in front', () => {
  test.each<[name: string, RequestListener, says: RegExp]>([
    [
      'a redirect',
      page(301, { Location: 'https://www.a.example/hook', Server: 'nginx/1.22' }, '301'),
      /FAIL +redirects +301: .* turns POST into GET; give the service the last URL; answered with location: https:\/\/www\.a\.example\/hook/
    ],
    ['a login page', page(200, {}, 'Sign in'), /FAIL +POST +200: accepted without a signature, .*page "Sign in"/],
    [
      'a CSRF filter',
      (request, response) =>
        request.method === 'GET'
          ? receive(request, response)
          : page(403, { 'X-Powered-By': 'Express' }, 'Forbidden')(request, response),
      /ok +GET +401.*\nFAIL +POST +403: .*CSRF filter.*x-powered-by: Express/
    ],
    [
      'a maintenance page',
      page(503, { 'Retry-After': '60', Server: 'Caddy' }, 'Back soon'),
      /FAIL +GET +503: a maintenance page.*server: Caddy, page "Back soon"/
    ],
    [
      'a route for POST alone',
      (request, response) =>
        request.method === 'POST' ? receive(request, response) : page(404, {}, 'Not found')(request, response),
      /FAIL +GET +404: there is no route for GET \/hook.*\nok +POST +401/
    ],
    [
      'a login of another kind',
      page(401, { 'WWW-Authenticate': 'Basic realm="x"' }, 'Login'),
      /FAIL +POST +401: something else asks for credentials.*Basic/
    ],
    [
      'a body limit',
      (request, response) => {
        if (Number(request.headers['content-length']) < 512 * 1024) return void receive(request, response)
        response.writeHead(413, { Connection: 'close' }).end()
        request.resume()
      },
      /ok +POST +401.*\nFAIL +POST of 1 MB +413: a body limit in front of the verifier/
    ]
  ])('%s: ends with 1, and says what', async (_, listener, says) => {
    const { code, text } = await probe(listener)
    expect(text).toMatch(says)
    expect(code).toBe(1)
  })
})

test('does not take the challenge of another verifier for a refusal of this library', async () => {
  const another: RequestListener = (request, response) => {
    request.resume()
    response.writeHead(401, { 'WWW-Authenticate': 'Signature realm="api",headers="date"' }).end()
  }
  const { code, text } = await probe(another)
  expect(text).toContain('something else asks for credentials')
  expect(code).toBe(1)
})

const HEAD = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Signature\r\n\r\n'

describe('an odd answer', () => {
  /** One that says this after a request, and keeps the connection. */
  const say = async (answer: string, every = '') => {
    const server = createTcpServer(socket => {
      const timer = setInterval(() => socket.write(every), 20)
      socket.on('error', () => {}).on('close', () => clearInterval(timer))
      socket.once('data', () => socket.write(answer))
    })
    return `http://127.0.0.1:${await listen(server as Server)}/hook`
  }

  test.each([
    ['101 with Upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello'],
    ['101 alone', 'HTTP/1.1 101 Switching Protocols\r\n\r\n']
  ])('%s is an answer', async (_, answer) => {
    const url = await say(answer)
    const probed = await runInside(['probe', url])
    expect(probed.stdout).toMatch(/^FAIL {2}GET {15}101: it changed to another protocol/m)
    expect(probed.code).toBe(1)
    const sent = await runInside(['send', url, '--key', 'fixtures/source/keys/one.pem'])
    expect(sent.stdout).toContain('answer: 101 ')
    expect(sent.code).toBe(1)
  })

  test('only interim answers are none', async () => {
    const url = await say('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200), 'HTTP/1.1 102 Processing\r\n\r\n')
    const { code, stdout } = await runInside(['probe', url])
    expect(stdout.replace(/\n {24}/g, ' ')).toContain('only interim answers (1xx), without end')
    expect(code).toBe(2)
  })

  test('interim answers before the answer are passed over', async () => {
    const url = await say(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${HEAD}`)
    expect((await runInside(['probe', url])).code).toBe(0)
  })

  test('2xx to CONNECT is an answer', async () => {
    const url = await say('HTTP/1.1 200 OK\r\n\r\n')
    const key = ['--key', 'fixtures/source/keys/one.pem']
    expect((await runInside(['send', url, ...key, '--method', 'CONNECT'])).code).toBe(0)
  })

  test('a body that never ends is not waited for: the head has said all', async () => {
    const url = await say(HEAD, 'x')
    expect((await runInside(['probe', url])).code).toBe(0)
  })
})

describe('not reached', () => {
  test('what answers is not HTTP', async () => {
    const greet = createTcpServer(socket => socket.once('data', () => socket.end('SSH-2.0-x\r\n')))
    const port = await listen(greet as Server)
    const { code, stdout } = await runInside(['probe', `http://127.0.0.1:${port}/hook`])
    expect(stdout.replace(/\n {24}/g, ' ')).toContain('not HTTP/1: TLS perhaps, which needs https in the URL')
    expect(code).toBe(2)
  })

  test('what answers is not TLS', async () => {
    const port = await listen(createServer(receive))
    const { code, stdout } = await runInside(['probe', `https://127.0.0.1:${port}/hook`])
    expect(stdout.replace(/\n {24}/g, ' ')).toMatch(
      /^FAIL {2}TLS .*: it does not speak TLS as expected: is it http\? \(ERR_SSL_\w+\)$/m
    )
    expect(code).toBe(2)
  })

  test('nothing listens', async () => {
    const { code, stdout } = await runInside(['probe', 'http://127.0.0.1:9/hook'])
    expect(stdout).toMatch(/^FAIL {2}GET {15}127\.0\.0\.1:9: nothing listens there \(ECONNREFUSED\)$/m)
    expect(code).toBe(2)
  })

  test('a certificate that nobody signed', async () => {
    const port = await listen(createHttpsServer(await makeCertificate('localhost'), receive))
    const { code, stdout } = await runInside(['probe', `https://localhost:${port}/hook`])
    expect(stdout.replace(/\n {24}/g, ' ')).toMatch(/^FAIL {2}TLS .*self-signed/m)
    expect(code).toBe(2)
  })

  test('no such name', async () => {
    const { code, stdout } = await runInside(['probe', 'https://nothing.invalid/hook'])
    expect(stdout).toMatch(/^FAIL {2}DNS /m)
    expect(code).toBe(2)
  })
})
