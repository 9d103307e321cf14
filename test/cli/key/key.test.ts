import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { type Answer, AUTHORITATIVE_ANSWER, CHECKING_DISABLED, decode, encode } from 'dns-packet'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../../cli/run-command.ts'
import { ONE } from '../../../fixtures/source/keys.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { runInside } from '../../support/run-cli.ts'

const NAME = 'one._domainkey.service.example'

const SERVFAIL = 2

/** Starts a DNS server that answers each query by its type; returns its address and the names that it is asked for. */
async function startDns(react: (type: string, name: string, flags: number) => { fails?: boolean; answers?: Answer[] }) {
  const names = new Set<string>()
  const server = createSocket('udp4', (query, from) => {
    const { id, flags = 0, questions = [] } = decode(query)
    const { type, name } = questions[0]!
    names.add(name)
    const { fails, answers = [] } = react(type, name, flags)
    const bits = AUTHORITATIVE_ANSWER | (fails ? SERVFAIL : 0)
    server.send(encode({ type: 'response', id: id!, flags: bits, questions, answers }), from.port)
  })
  await once(server.bind(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { flag: ['--dns-server', `127.0.0.1:${server.address().port}`], names }
}

const ask = async (flag: readonly string[], ...args: string[]) => {
  const { code, stdout } = await runInside(['key', ...args, ...flag, '--json'])
  const kinds: string[] = JSON.parse(stdout).map(({ conclusion }: { conclusion: { kind: string } }) => conclusion.kind)
  return [code, ...kinds]
}

test('ends with 1 where the signatures of the zone do not validate, or its aliases form a loop', async () => {
  const bogus = await startDns((type, _, flags) => ({ fails: type === 'TXT' && !(flags & CHECKING_DISABLED) }))
  expect(await ask(bogus.flag, NAME)).toEqual([1, 'signatures-invalid'])
  const loop = await startDns((type, name) =>
    type === 'TXT' ? { fails: true, answers: [{ type: 'CNAME', name, ttl: 1, data: name }] } : {}
  )
  expect(await ask(loop.flag, NAME)).toEqual([1, 'endless-aliases'])
  const failing = await startDns(() => ({ fails: true }))
  expect(await ask(failing.flag, NAME, `two.${NAME}`)).toEqual([2, 'resolver-fails', 'resolver-fails'])
})

test('ends with the worst code of several names, wherever the name stands', async () => {
  const { flag } = await startDns((type, name) =>
    name === NAME && type === 'TXT'
      ? { fails: true, answers: [{ type: 'CNAME', name, ttl: 1, data: name }] }
      : { fails: name !== NAME }
  )
  expect(await ask(flag, NAME, 'two.example')).toEqual([2, 'endless-aliases', 'resolver-fails'])
  expect(await ask(flag, 'two.example', NAME)).toEqual([2, 'resolver-fails', 'endless-aliases'])
})

test('asks a name server at a private address only with --private', async () => {
  const { flag } = await startDns((type, name) => {
    if (type === 'NS' && name === 'service.example')
      return { answers: [{ type, name, ttl: 1, data: 'ns.service.example' }] }
    return type === 'A' ? { answers: [{ type, name, ttl: 1, data: '127.0.0.3' }] } : {}
  })
  expect(await ask(flag, NAME)).toEqual([1, 'servers-private'])
  expect(await ask(flag, NAME, '--private')).toEqual([1, 'no-server-answers'])
})

test('shows whom it asks, and writes two blank lines between two names', async () => {
  const { flag, names } = await startDns(() => ({}))
  const shown: string[] = []
  const io = { stdin: Readable.from([]), note: () => {}, color: false, env: {} }
  const progress = (text: string) => void shown.push(text)
  const print = async (...args: string[]) => {
    const texts: string[] = []
    await run(['key', ...args, ...flag], { ...io, progress, print: text => void texts.push(text) })
    return texts.join()
  }
  const [one, two] = [await print(NAME, '--no-trace'), await print('two.example', '--no-trace')]
  expect([...names]).toEqual([NAME, 'two.example'])
  expect(await print(NAME, 'two.example', NAME, '--no-trace')).toBe(`${one}\n\n\n${two}`)
  await print(NAME)
  expect(shown.slice(2)).toEqual([`asking for ${NAME}, two.example`, `asking for ${NAME}`, 'asking the name servers'])
  expect([...names]).toContain('service.example')
})

test.each(['a..b', 'S3CRET'])('%s is not the name of a key, and is not repeated', async name => {
  const stderr = 'signed-requests: NAME must be a DNS name, such as one._domainkey.service.example\n'
  expect(await runInside(['key', name])).toEqual({ code: 64, stdout: '', stderr })
})

test('tells a DNS server that answers over UDP and refuses TCP, and ends with 2', async () => {
  const records = { [NAME]: [ONE.record.match(/.{1,255}/g)!, ['x'.repeat(255), 'y'.repeat(255)]] }
  const server = await startDnsServer(records, { tcp: false })
  onTestFinished(() => server.close())
  const { code, stdout } = await runInside(['key', NAME, '--dns-server', server.address, '--json'])
  expect([code, JSON.parse(stdout)]).toMatchObject([2, [{ conclusion: { kind: 'tcp-refused' } }]])
})
