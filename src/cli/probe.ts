import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { escapeText, wrapWords } from '../explain/text.ts'
import type { HeaderLine } from '../http/request.ts'
import { EXIT, type Io } from './command.ts'
import {
  describeError,
  describeResponse,
  endpointOf,
  exchange,
  isRefusal,
  parseUrl,
  RESPONSE_TIMEOUT,
  type Response
} from './exchange.ts'
import type { Command } from './flags.ts'

/** `signed-requests probe` */
export const probe: Command = {
  summary: 'find out whether a receiver is reached, or who answers instead',
  usage: 'URL',
  about:
    'Says in stages whether requests from outside reach the receiver at URL: DNS, the TLS certificate, redirects, an ' +
    'unsigned GET, an unsigned POST, and an unsigned POST of 1 MB. None of them may be accepted: a refusal of this ' +
    'library is what it wants to see. Where something else answers, it says what.',
  options: {},
  examples: ['npx signed-requests probe https://hooks.example.com/hook'],
  exits: [
    'a receiver with this library refuses all of them',
    'something else answers',
    'it is not reached, or its certificate does not hold'
  ],
  run
}

async function run(_: object, io: Io, argument: string): Promise<number> {
  const url = parseUrl(argument)
  let isOurs = true
  const report = (mark: 'ok' | 'FAIL' | '--', stage: string, text: string) => {
    isOurs &&= mark !== 'FAIL'
    io.print(wrapWords(`${mark.padEnd(6)}${stage.padEnd(18)}`, escapeText(text, 1000)))
  }
  let stage = 'DNS'
  try {
    report('ok', stage, await addressesOf(url))
    stage = 'TLS'
    if (url.protocol === 'https:') report('ok', stage, await certificateOf(url))
    else report('--', stage, 'not run: the URL is http')
    for (const [name, body] of REQUESTS) {
      stage = name
      const method = body === null ? 'GET' : 'POST'
      const length = ['Content-Length', String(body?.length ?? 0)] as const
      const headers = [['Host', url.host], ...HEADERS, length] as const
      const response = await exchange(url, { method, headers, body })
      if (name === 'GET') report(...redirects(response))
      const isOwn = isRefusal(response) && response.status !== 413
      const text = isOwn ? 'refused by signed-requests' : describeResponse(method, url, response)
      report(isOwn ? 'ok' : 'FAIL', stage, `${response.status}: ${text}`)
    }
  } catch (error) {
    report('FAIL', stage, `${url.host}: ${describeError(error)}`)
    return EXIT.unknown
  }
  return isOurs ? EXIT.ok : EXIT.refused
}

/** JSON, so that a body parser in front of the verifier does not mind. */
const REQUESTS: readonly (readonly [name: string, body: Buffer | null])[] = [
  ['GET', null],
  ['POST', Buffer.from('{}')],
  ['POST of 1 MB', Buffer.from(JSON.stringify('x'.repeat(2 ** 20)))]
]

const HEADERS: readonly HeaderLine[] = [
  ['User-Agent', 'signed-requests-probe'],
  ['Accept', '*/*'],
  ['Content-Type', 'application/json']
]

function redirects({ status, headers }: Response): ['ok' | 'FAIL', string, string] {
  if (status < 300 || status > 399) return ['ok', 'redirects', 'none']
  const isKept = status === 307 || status === 308
  const method = isKept ? 'it keeps the method' : 'a sender that follows it turns POST into GET'
  const to = `${status} to ${headers.location ?? 'nowhere'}`
  return ['FAIL', 'redirects', `${to}: ${method}; give the service the last URL`]
}

async function addressesOf(url: URL): Promise<string> {
  const { host } = endpointOf(url)
  if (isIP(host) !== 0) return `${host} is an address`
  const found = await lookup(host, { all: true })
  return `${host} is ${found.map(({ address }) => address).join(', ')}`
}

/** Resolves when chain and name hold. */
async function certificateOf(url: URL): Promise<string> {
  const { host, port } = endpointOf(url)
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const socket = connect({ host, port, ...servername, ALPNProtocols: ['http/1.1', 'h2'] })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(RESPONSE_TIMEOUT) })
    const { valid_to, issuer } = socket.getPeerCertificate()
    const by = issuer?.O ?? issuer?.CN ?? 'an authority without a name'
    return `${socket.getProtocol()}, a certificate for ${host} until ${valid_to}, by ${by}`
  } finally {
    socket.destroy()
  }
}
