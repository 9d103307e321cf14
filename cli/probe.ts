import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { aside, escapeText, withTone, wrapWords } from '../src/tools/index.ts'
import { EXIT, type Io } from './command.ts'
import {
  describeError,
  describeResponse,
  endpointOf,
  exchange,
  isRefusal,
  parseUrl,
  RESPONSE_TIMEOUT
} from './exchange.ts'
import type { Command } from './flags.ts'

/** The command `signed-requests probe`. */
export const probe: Command = {
  about: [
    'Says in stages whether requests from outside reach the receiver at URL: DNS, the TLS certificate, redirects, an ' +
      'unsigned GET, an unsigned POST, and an unsigned POST of 1 MB. None of them may be accepted: this library ' +
      'should refuse each. If something else answers, says what.'
  ],
  argument: 'URL',
  flags: {},
  examples: ['npx signed-requests probe https://hooks.example.com/hook'],
  exits: {
    0: 'a receiver with this library refuses all of them',
    1: 'something else answers',
    2: 'it cannot be reached, or its certificate is not valid',
    64: 'a mistake on the command line'
  },
  run
}

async function run(_: object, io: Io, argument: string): Promise<number> {
  const url = parseUrl(argument)
  let isOurs = true
  let stage = 'DNS'
  // Text from outside is escaped before it comes here.
  const report = (mark: 'ok' | 'FAIL' | '--', text: string, name = stage) => {
    isOurs &&= mark !== 'FAIL'
    const line = wrapWords(`${mark.padEnd(6)}${name.padEnd(18)}`, text)
    io.print(mark === '--' ? aside(line) : withTone(mark === 'ok' ? 'good' : 'bad', mark, line))
  }
  try {
    const found = await lookup(endpointOf(url).host, { all: true })
    report('ok', `${url.hostname} is ${found.map(({ address }) => address).join(', ')}`)
    stage = 'TLS'
    if (url.protocol === 'https:') report('ok', escapeText(await certificateOf(url), 1000))
    else report('--', 'not run: the URL is http')
    for (const [name, body] of REQUESTS) {
      stage = name
      const method = body === null ? 'GET' : 'POST'
      const fields = { Host: url.host, ...FIELDS, 'Content-Length': String(body?.length ?? 0) }
      const response = await exchange(url, { method, headers: Object.entries(fields), body })
      const { status } = response
      const isOwn = isRefusal(response) && status !== 413
      const isRedirect = status >= 300 && status <= 399
      const text = `${status}: ${isOwn ? 'refused by signed-requests' : describeResponse(response)}`
      if (name === 'GET') report(isRedirect ? 'FAIL' : 'ok', isRedirect ? text : 'none', 'redirects')
      report(isOwn ? 'ok' : 'FAIL', text)
    }
  } catch (error) {
    report('FAIL', escapeText(`${url.host}: ${describeError(error)}`, 1000))
    return EXIT.unknown
  }
  return isOurs ? EXIT.ok : EXIT.refused
}

/** The body is JSON, so that a body parser in front of the verifier accepts it. */
const REQUESTS: readonly (readonly [name: string, body: Buffer | null])[] = [
  ['GET', null],
  ['POST', Buffer.from('{}')],
  ['POST of 1 MB', Buffer.from(JSON.stringify('x'.repeat(2 ** 20)))]
]

// Bot rules refuse a request without Accept.
const FIELDS = { 'User-Agent': 'signed-requests-probe', Accept: '*/*', 'Content-Type': 'application/json' }

/** Resolves to the certificate when chain and name hold. */
async function certificateOf(url: URL): Promise<string> {
  const { host, port } = endpointOf(url)
  const socket = connect({ host, port, ...(isIP(host) === 0 && { servername: host }) })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(RESPONSE_TIMEOUT) })
    const { valid_to, issuer } = socket.getPeerCertificate()
    const by = issuer?.O ?? issuer?.CN ?? 'an authority without a name'
    return `${socket.getProtocol()}, a certificate for ${host} until ${valid_to}, by ${by}`
  } finally {
    socket.destroy()
  }
}
