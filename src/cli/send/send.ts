import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { escapeText, wrapExact, wrapWords } from '../../explain/text.ts'
import { isHost, isLoopback, normalizeName } from '../../http/host-name.ts'
import { SHARED, UNSHARED } from '../../options/flags.ts'
import { DEFAULTS, type OptionName } from '../../options/options.ts'
import { validateAccounts } from '../../options/values.ts'
import { type CountingDnsServer, startDnsServer } from '../../testing/dns-server.ts'
import { createSigningKey, type SignedTestRequest, type SigningKey, signRequest } from '../../testing/sign.ts'
import { EXIT, type Io, readBytes, UsageError } from '../command.ts'
import { describeError, exchange, parseUrl, type Response } from '../exchange.ts'
import { addPrefix, type Command, type Values } from '../flags.ts'
import { conclude } from './conclude.ts'
import { startReceiver } from './start-receiver.ts'
import { FORGERY_NAMES, tamper } from './tamper.ts'

const SENDER = {
  serviceDomain: { ...SHARED.serviceDomain, preset: 'service.example' },
  selector: {
    flag: 'selector',
    kind: 'text',
    value: 'NAME',
    about: "the first part of the key's name",
    preset: 'test'
  },
  host: {
    flag: SHARED.hosts.flag,
    kind: 'text',
    value: 'NAME',
    about: 'the Host to sign and send',
    fallback: "the URL's"
  },
  account: { flag: SHARED.accounts.flag, kind: 'text', value: 'ID', about: 'the account id', preset: '1234' },
  accountHeader: { ...SHARED.accountHeader, preset: DEFAULTS.accountHeader },
  accountPrefix: { ...SHARED.accountPrefix, preset: DEFAULTS.accountPrefix },
  scheme: {
    ...SHARED.schemes,
    kind: 'text',
    about: 'the standard to sign by, draft-cavage or rfc9421',
    preset: SHARED.schemes.fallback
  },
  alsoCovered: { ...SHARED.alsoCovered, about: 'a header to sign besides those that the service signs' },
  dateTolerance: { ...SHARED.dateTolerance, about: 'how far the Date may be from the clock of the receiver' }
} as const

const REQUEST = {
  prefix: UNSHARED.prefix,
  key: { flag: 'key', kind: 'text', value: 'FILE', about: 'RSA private key, PEM', fallback: 'a fresh one' },
  method: {
    flag: 'method',
    kind: 'text',
    value: 'NAME',
    about: 'the method',
    fallback: 'POST with --data, GET without'
  },
  data: {
    flag: 'data',
    kind: 'text',
    value: 'TEXT',
    about: 'the body; @FILE for a file, @- for standard input',
    fallback: 'none'
  },
  header: {
    flag: 'header',
    kind: 'list',
    value: "'NAME: TEXT'",
    about: 'add or replace a header before signing'
  },
  tamper: {
    flag: 'tamper',
    kind: 'text',
    value: 'WHAT',
    choices: FORGERY_NAMES,
    about: `send a forgery: change this after signing, one of ${FORGERY_NAMES.join(', ')}`
  },
  repeat: {
    flag: 'repeat',
    kind: 'text',
    value: 'N',
    about: 'send the same bytes N times, to see the replay refused',
    preset: '1'
  }
} as const

const RECEIVER = {
  serveDns: {
    flag: 'serve-dns',
    kind: 'text',
    value: 'IP:PORT',
    about: 'serve the key record on this loopback address and port'
  },
  start: {
    flag: 'start',
    kind: 'text',
    value: 'FILE',
    about: 'start this receiver first (its DNS is that of --serve-dns), and end it after'
  },
  printRecord: {
    flag: 'print-record',
    kind: 'switch',
    about: 'print the key record, as without --serve-dns'
  },
  allowSelfSigned: {
    flag: 'allow-self-signed',
    kind: 'switch',
    about: 'accept any certificate, on a loopback address only'
  }
} as const

const FLAGS = { ...SENDER, ...REQUEST, ...RECEIVER } as const

/** `signed-requests send` */
export const send: Command<typeof FLAGS> = {
  summary: 'sign a request and send it to a receiver under development',
  about: [
    'Signs a request as the service does, sends it to a receiver under development, prints the response and says who ' +
      'answered. The receiver finds the key in DNS: publish the record that is printed, or have it served with ' +
      '--serve-dns.'
  ],
  argument: 'URL',
  flags: FLAGS,
  examples: [
    'npx signed-requests send http://localhost:3000/hook --data \'{"id":1}\' \\\n--serve-dns 127.0.0.1:5353',
    'npx signed-requests send http://localhost:3000/hook --tamper body \\\n' +
      '--data \'{"id":1}\' --serve-dns 127.0.0.1:5353',
    'npx signed-requests send http://localhost:3000/hook --repeat 2 \\\n--serve-dns 127.0.0.1:5353'
  ],
  exits: {
    0: 'the response is 2xx; with --repeat, the first is and no repetition is; with --tamper, the forgery was refused',
    1: 'any other response; with --repeat, a repetition was accepted; with --tamper, the forgery was',
    2: 'there is no response, or it is 503',
    64: 'a mistake on the command line'
  },
  run
}

type Flags = Values<typeof FLAGS>

async function run(flags: Flags, io: Io, argument: string): Promise<number> {
  const url = parseUrl(argument)
  const tls = { rejectUnauthorized: flags.allowSelfSigned !== true }
  if (!tls.rejectUnauthorized && !isLoopback(url.hostname))
    throw new UsageError('--allow-self-signed is for loopback addresses: localhost, 127.0.0.1 or [::1]')
  if (!/^[1-9]\d{0,2}$/.test(flags.repeat))
    throw new UsageError('--repeat takes a number from 1 to 999: how often to send the same bytes')

  const key = await loadKey(flags, io)
  const data = flags.data?.startsWith('@') ? await readBytes(flags.data.slice(1), '--data', io) : flags.data
  const signed = sign(url, key, flags, data ?? null)
  const { tamper: what, accountHeader: header } = flags
  const { forged: request, text: forgery } = what === undefined ? { forged: signed } : tamper(what, signed, header)
  const serveAt = flags.serveDns ?? (flags.start && '127.0.0.1:0')
  const dns = serveAt === undefined ? undefined : await serveRecord(serveAt, key)
  if (dns === undefined || flags.printRecord) io.print(`${zoneRecord(key)}\n`)
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
    const { dateTolerance = DEFAULTS.dateTolerance } = flags
    const isForgery = forgery !== undefined
    const [exit, ...lines] = conclude(responses, isForgery, key.keyId, dns, flags.start, dateTolerance)
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

async function loadKey({ selector, serviceDomain, key: file }: Flags, io: Io): Promise<SigningKey> {
  const name = normalizeName(`${selector}._domainkey.${serviceDomain}`)
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
  validateAccounts(account, 'accounts' satisfies OptionName, {
    option: 'accountPrefix' satisfies OptionName,
    value: flags.accountPrefix
  })
  const headers = (flags.header ?? []).map((line): [string, string] => {
    const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new UsageError("--header takes 'NAME: TEXT'")
    return [name, value.trim()]
  })
  return signRequest({ method, target, headers, scheme, body }, key, {
    host,
    account: [flags.accountHeader, `${flags.accountPrefix}${account}`],
    alsoCovered: flags.alsoCovered ?? []
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
