import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { escapeText, wrapExact, wrapWords } from '../../explain/text.ts'
import { isHost, isLoopback, normalizeName } from '../../http/host-name.ts'
import { validateAccounts } from '../../options/values.ts'
import { type CountingDnsServer, startDnsServer } from '../../testing/dns-server.ts'
import { createSigningKey, type SignedTestRequest, type SigningKey, signRequest } from '../../testing/sign.ts'
import { EXIT, type Io, readBytes, UsageError } from '../command.ts'
import { describeError, exchange, parseUrl, type Response } from '../exchange.ts'
import { addPrefix, type Command, flag, list, schemeOf, text, type Values } from '../flags.ts'
import { conclude } from './conclude.ts'
import { startReceiver } from './start-receiver.ts'
import { tamper } from './tamper.ts'

const SENDER = {
  domain: { ...text, default: 'service.example' },
  selector: { ...text, default: 'test' },
  account: { ...text, default: '1234' },
  'account-header': { ...text, default: 'X-Service-ID' },
  'account-prefix': { ...text, default: 'account-' },
  scheme: { ...text, default: 'draft-cavage' },
  key: text
} as const

const REQUEST = { host: text, prefix: text, method: text, data: text, header: list, tamper: text } as const

const RECEIVER = { 'serve-dns': text, start: text, 'print-record': flag, 'allow-self-signed': flag } as const

const OPTIONS = { ...SENDER, ...REQUEST, ...RECEIVER, repeat: { ...text, default: '1' } } as const

/** `signed-requests send` */
export const send: Command<typeof OPTIONS> = { argument: 'URL', options: OPTIONS, run }

type Flags = Values<typeof OPTIONS>

async function run(flags: Flags, io: Io, argument: string): Promise<number> {
  const url = parseUrl(argument)
  const tls = { rejectUnauthorized: flags['allow-self-signed'] !== true }
  if (!tls.rejectUnauthorized && !isLoopback(url.hostname))
    throw new UsageError('--allow-self-signed is for loopback addresses: localhost, 127.0.0.1 or [::1]')
  if (!/^[1-9]\d{0,2}$/.test(flags.repeat))
    throw new UsageError('--repeat takes a number from 1 to 999: how often to send the same bytes')

  const key = await loadKey(flags, io)
  const data = flags.data?.startsWith('@') ? await readBytes(flags.data.slice(1), '--data', io) : flags.data
  const signed = sign(url, key, flags, data ?? null)
  const { tamper: what, 'account-header': header } = flags
  const { forged: request, text: forgery } =
    what === undefined ? { forged: signed } : tamper(what, signed, header)
  const serveAt = flags['serve-dns'] ?? (flags.start && '127.0.0.1:0')
  const dns = serveAt === undefined ? undefined : await serveRecord(serveAt, key)
  if (dns === undefined || flags['print-record']) io.print(`${zoneRecord(key)}\n`)
  if (dns !== undefined) io.print(`serving the key ${key.keyId}\non ${dns.address}, UDP and TCP\n`)
  if (forgery !== undefined) io.print(`${wrapWords('', forgery)}\n`)
  let receiver: ChildProcess | undefined
  try {
    if (flags.start !== undefined) receiver = await startReceiver(flags.start, url, dns!.address)
    const responses: Response[] = []
    // One after the other: a receiver that responds late must not get two at once.
    for (let number = 1; number <= Number(flags.repeat); number++) {
      responses.push(await exchange(url, request, tls))
      io.print(responseText(responses.at(-1)!, flags.repeat === '1' ? '' : `${number}: `))
    }
    const [exit, ...lines] = conclude(responses, forgery !== undefined, key.keyId, dns, flags.start)
    for (const line of lines) io.print(`\n${line.startsWith(' ') ? line : wrapWords('', line)}`)
    return exit
  } catch (error) {
    if (error instanceof UsageError) throw error
    const problem = describeError(error)
    const isUntrusted = /SELF_SIGNED|UNABLE_TO_VERIFY/.test(problem)
    const hint = isUntrusted ? '; on loopback, --allow-self-signed accepts it' : ''
    io.note(escapeText(`signed-requests: no answer from ${url.host}: ${problem}${hint}`, 1000))
    return EXIT.unknown
  } finally {
    // One that observes writes its verdict after its response.
    if (receiver !== undefined) await delay(500)
    receiver?.kill('SIGKILL') // whatever it does with SIGTERM
    await dns?.close()
  }
}

const RSA_BITS = 2048

async function loadKey({ selector, domain, key: file }: Flags, io: Io): Promise<SigningKey> {
  const name = normalizeName(`${selector}._domainkey.${domain}`)
  if (name === undefined) throw new UsageError('--selector and --domain must make a DNS name')
  const pem = file && (await readBytes(file, '--key', io)).toString('utf8')
  try {
    return createSigningKey(name, RSA_BITS, pem)
  } catch {
    throw new UsageError(`${file} is not an RSA private key in PEM`)
  }
}

function sign(url: URL, key: SigningKey, flags: Flags, body: Buffer | string | null): SignedTestRequest {
  const { host = url.host, method = body === null ? 'GET' : 'POST', scheme, account, prefix } = flags
  if (!isHost(host)) throw new UsageError('--host takes a host name, such as hooks.example.com')
  const target = addPrefix(prefix, `${url.pathname}${url.search}`)
  validateAccounts([account], flags['account-prefix'])
  const headers = (flags.header ?? []).map((line): [string, string] => {
    const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new UsageError("--header takes 'NAME: TEXT'")
    return [name, value.trim()]
  })
  return signRequest({ method, target, headers, scheme: schemeOf(scheme).name, body }, key, {
    host,
    account: [flags['account-header'], `${flags['account-prefix']}${account}`]
  })
}

/**
 * Serves one TXT record over UDP and TCP, on a loopback address only: a test key must not be visible to other machines,
 * and an open DNS server would answer the whole network.
 */
async function serveRecord(address: string, { keyId, record }: SigningKey): Promise<CountingDnsServer> {
  const [, ip = '', port] = /^(127(?:\.\d{1,3}){3}|\[::1\]):(\d{1,5})$/.exec(address) ?? []
  if (port === undefined || Number(port) >= 2 ** 16)
    throw new UsageError('--serve-dns takes a loopback address and a port: 127.0.0.1:5353 or [::1]:5353')
  try {
    return await startDnsServer({ [keyId]: [record] }, ip.replace(/[[\]]/g, ''), Number(port))
  } catch (error) {
    throw new UsageError(`cannot serve DNS on ${address} (--serve-dns): ${describeError(error)}`)
  }
}

/** A TXT record in the form of a zone file. Strings are joined with nothing between, so short ones work as well. */
const zoneRecord = ({ keyId, record }: SigningKey): string =>
  `${keyId}. 300 IN TXT (\n${record.join('').replace(/.{1,70}/g, '  "$&"\n')})`

const MAX_LINES = 100

function responseText({ method, url, status, statusText, body }: Response, number: string): string {
  const lines = body.length === 0 ? [] : ['', ...body.toString('utf8').split(/\r?\n/, MAX_LINES)]
  const shown = lines.map(line => wrapExact('  ', escapeText(line, 1000)).trimEnd())
  const head = [`${method} ${url.href}`, `${number}answer: ${status} ${statusText}`]
  return [...head.map(line => escapeText(line, 1000)), ...shown].join('\n')
}
