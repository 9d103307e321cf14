import { spawnSync } from 'node:child_process'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dohTxtLookup } from '../../src/doh/index.ts'
import { makeCertificate } from '../support/https.ts'
import { documented, table } from './document.ts'

const NAME = 'key.service.example'

/** A DNS message, and what dnspython reads in it: the records, or a code of `node:dns`. */
interface Message {
  readonly name: string
  readonly octets: string
  readonly read: readonly (readonly string[])[] | string
}

/** The program prints a message a line. */
const program = spawnSync('/usr/bin/python3', [fileURLToPath(new URL('dns/messages.py', import.meta.url))], {
  encoding: 'utf8'
})
const isInstalled = !program.stderr.includes('ModuleNotFoundError')
if (!isInstalled) console.warn('skipped: python3-dnspython is not installed (apt-get install python3-dnspython)')

const OTHERS =
  'RFC 1034 section 5.3.3, step 4d: a reply with bizarre contents is a failure of the server, and no proof that the name ' +
  'has no record. The library is right'
const ONE_ALIAS =
  'RFC 2181 section 10.1: a name with CNAME has that one record. The library is right: neither of the two is chosen'
const BINARY =
  'RFC 2181 section 11: a label may have any octet, so dnspython is right. Here labels are joined by dots as ASCII, and ' +
  'what would be one text for two names is refused'

/** The clause for each message that the two read differently: who is right. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'an alias beside a record': ONE_ALIAS,
  'a DNAME alone':
    'RFC 6672 section 3.1: the server adds the CNAME that DNAME stands for. The library is right: without it the reply answers ' +
    'something else',
  'another class': OTHERS,
  'another name': OTHERS,
  'another name beside it': OTHERS,
  'a record twice':
    'RFC 2181 section 5: two equal records are meaningless, and servers suppress one. Both are right: a key counts once',
  'a pointer into the header': OTHERS,
  'a label with a dot as the owner': BINARY,
  'a label with a dot as the target': BINARY,
  'a label above ASCII as the target': BINARY,
  'two aliases of one name': ONE_ALIAS,
  'the class with its upper bit': OTHERS
}

const messages: readonly Message[] = isInstalled
  ? program.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Message)
  : []

let answer = new Uint8Array()
let lookup: ReturnType<typeof dohTxtLookup>
beforeAll(async () => {
  const { key, cert } = await makeCertificate('localhost')
  const server = createServer({ key, cert }, (req, res) => {
    req.resume().on('end', () => res.writeHead(200, { 'content-type': 'application/dns-message' }).end(answer))
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  lookup = dohTxtLookup({ url: `https://localhost:${port}/dns-query`, fetch: fetchTrusting(cert) })
  afterAll(() => void server.close())
})

/** Makes a `fetch` that trusts this certificate. */
const fetchTrusting =
  (ca: string): typeof globalThis.fetch =>
  (url, init = {}) =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init.headers))
      const sent = request(String(url), { ca, method: init.method ?? 'GET', headers, family: 4 }, response => {
        const chunks: Buffer[] = []
        response
          .on('data', chunk => chunks.push(chunk))
          .on('end', () =>
            resolve(
              new Response(Buffer.concat(chunks), {
                status: response.statusCode ?? 0,
                headers: { 'content-type': response.headers['content-type'] ?? '' }
              })
            )
          )
      })
      sent.on('error', reject).end(init.body)
    })

const ours = (octets: string): Promise<Message['read']> => {
  answer = Buffer.from(octets, 'base64')
  return lookup(NAME, { signal: AbortSignal.timeout(50_000) }).catch((error: { code: string }) => error.code)
}

/** The records of a name have no order (RFC 2181 section 5). */
const shown = (read: Message['read']): string =>
  typeof read === 'string' ? read : JSON.stringify(read.map(strings => JSON.stringify(strings)).sort())

const inWords = (read: Message['read']): string =>
  typeof read === 'string' ? read : read.length === 1 ? 'the record' : `${read.length} records`

test.runIf(isInstalled)(
  'dnspython and dohTxtLookup read the same in a DNS message, or a clause says who is right',
  async () => {
    expect(program.stderr).toBe('')
    expect(messages.length).toBeGreaterThan(150)
    const rows: string[][] = []
    for (const { name, octets, read } of messages) {
      const own = await ours(octets)
      if (shown(own) !== shown(read)) rows.push([name, inWords(own), inWords(read), DIFFERENCES[name] ?? 'no clause'])
    }
    expect(rows.map(([name]) => name)).toEqual(Object.keys(DIFFERENCES))
    const text = [
      `${messages.length} messages, each served over HTTPS; ${messages.length - rows.length} are read alike.`,
      '',
      ...table(['message', 'here', 'dnspython', 'the clause that decides'], rows)
    ].join('\n')
    expect(text).toBe(documented('dns', text))
  }
)
