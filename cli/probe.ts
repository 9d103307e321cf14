import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Values } from '../flags/flag.ts'
import { aside, escapeText, withTone, wrapWords } from '../src/internal/index.ts'
import { ALLOW_SELF_SIGNED, assertAtLoopback, isUntrusted, selfSignedAdvice } from './certificates.ts'
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

const FLAGS = { allowSelfSigned: ALLOW_SELF_SIGNED } as const

/** The command `signed-requests probe`. */
export const probe: Command<typeof FLAGS> = {
  about: [
    'Checks in stages whether requests from outside reach your receiver at URL: DNS, the TLS certificate, redirects, ' +
      'an unsigned GET, an unsigned POST, and one of 1 MB. This library should refuse all. If something else answers, ' +
      'says what.'
  ],
  argument: 'URL',
  flags: FLAGS,
  examples: [
    'npx signed-requests probe https://hooks.example.com/hook',
    'npx signed-requests probe https://localhost:8443/hook --allow-self-signed'
  ],
  exits: {
    0: 'a receiver with this library refused all',
    1: 'something else answers',
    2: 'the receiver cannot be reached, or its certificate is not valid',
    64: 'usage error'
  },
  run
}

async function run({ allowSelfSigned }: Values<typeof FLAGS>, io: Io, argument: string): Promise<number> {
  const url = parseUrl(argument)
  if (allowSelfSigned) assertAtLoopback(url, atLoopback(url))
  const tls = { rejectUnauthorized: allowSelfSigned !== true }
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
    if (url.protocol === 'https:') report('ok', escapeText(await certificateOf(url, tls), 1000))
    else report('--', 'not run: the URL is http')
    for (const [name, body] of REQUESTS) {
      stage = name
      const method = body === null ? 'GET' : 'POST'
      const fields = { Host: url.host, ...FIELDS, 'Content-Length': String(body?.length ?? 0) }
      const response = await exchange(url, { method, headers: Object.entries(fields), body }, tls)
      const { status } = response
      const isOwn = isRefusal(response) && status !== 413
      const isRedirect = status >= 300 && status <= 399
      const text = `${status}: ${isOwn ? 'refused by signed-requests' : describeResponse(response)}`
      if (name === 'GET') report(isRedirect ? 'FAIL' : 'ok', isRedirect ? text : 'none', 'redirects')
      report(isOwn ? 'ok' : 'FAIL', text)
    }
  } catch (error) {
    const hint = isUntrusted(error) ? `; ${selfSignedAdvice(url, atLoopback(url))}` : ''
    report('FAIL', escapeText(`${url.host}: ${describeError(error)}${hint}`, 1000))
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

/** Replaces a name for this machine by a loopback address of the same receiver. */
const atLoopback = (url: URL): string => `probe https://localhost${url.port && `:${url.port}`}${url.pathname}`

/** Resolves to the certificate when chain and name hold, or need not. */
async function certificateOf(url: URL, tls: { readonly rejectUnauthorized: boolean }): Promise<string> {
  const { host, port } = endpointOf(url)
  const socket = connect({ ...tls, host, port, ...(isIP(host) === 0 && { servername: host }) })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(RESPONSE_TIMEOUT) })
    const { valid_to, issuer } = socket.getPeerCertificate()
    const by = issuer?.O ?? issuer?.CN ?? 'an authority without a name'
    if (!socket.authorized) return `${socket.getProtocol()}, any certificate is accepted (--allow-self-signed)`
    return `${socket.getProtocol()}, a certificate for ${host} until ${valid_to}, by ${by}`
  } finally {
    socket.destroy()
  }
}
