import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet'
import { expect, test } from 'vitest'
import { isPrivate } from '../../../cli/key/addresses.ts'
import type { Dns } from '../../../cli/key/ask.ts'
import { traceName } from '../../../cli/key/trace.ts'

const NAME = 'one._domainkey.service.example'

interface Asked {
  readonly server: string
  readonly type: 'TXT' | 'SOA' | 'NS' | 'A' | 'AAAA'
  readonly name: string
}

/** DNS in which a hostile zone says what it likes, to the resolver and to everybody else. */
function hostileDns(say: (asked: Asked) => { answers?: Answer[]; authorities?: Answer[] }) {
  const asked: Asked[] = []
  const reply = async (server: string, type: Asked['type'], name: string) => {
    asked.push({ server, type, name })
    const questions = [{ type, name }]
    const flags = server === 'resolver' ? 0 : AUTHORITATIVE_ANSWER
    return decode(encode({ type: 'response', flags, questions, ...say({ server, type, name }) }))
  }
  const dns: Dns = {
    resolve: (type, name) => reply('resolver', type as Asked['type'], name),
    askServer: (address, type, name) => reply(address, type as Asked['type'], name)
  }
  return { dns, asked, names: () => new Set(asked.map(({ name }) => name)) }
}

const record = (type: 'NS' | 'A' | 'CNAME', name: string, data: string): Answer => ({ type, name, data, ttl: 300 })
const inZone = (name: string) => name === 'service.example'

/** A zone with one name server, which has an address. */
const delegated = ({ type, name }: Asked): { answers: Answer[] } => {
  if (type === 'NS' && inZone(name)) return { answers: [record('NS', name, 'ns.service.example')] }
  return { answers: type === 'A' ? [record('A', name, '192.0.2.1')] : [] }
}

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '0.0.0.0',
  '168.63.129.16',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '192.0.0.192',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::7f00:1',
  '64:ff9b::a00:1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2002:a00:1::1',
  '2001:0:a00:1::',
  '4000::1',
  '8000::1'
])('takes %s for a private address', address => expect(isPrivate(address)).toBe(true))

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '192.0.2.1', '2001:db8::1', '2606:4700::1111', '3fff::1'])(
  'takes %s for a public address',
  address => {
    expect(isPrivate(address)).toBe(false)
  }
)

test('asks at most 8 of 1,000 name servers, each address once', async () => {
  const { dns, asked } = hostileDns(({ type, name }) => {
    if (type === 'NS' && inZone(name))
      return { answers: Array.from({ length: 1000 }, (_, i) => record('NS', name, `ns${i}.service.example`)) }
    return { answers: type === 'A' ? [record('A', name, '192.0.2.1'), record('A', name, '192.0.2.2')] : [] }
  })
  await traceName(dns, NAME)
  expect(asked.filter(({ type }) => type === 'A')).toHaveLength(8)
  expect(asked.filter(({ server }) => server !== 'resolver').map(({ type }) => type)).toEqual(['TXT', 'SOA'])
})

test.each<[situation: string, alias: (name: string) => string, names: number]>([
  ['of itself', name => name, 1],
  ['in a circle of two', name => (name === NAME ? `two.${NAME}` : NAME), 2],
  ['without an end: 8 of them', name => `a.${name}`, 9]
])('follows an alias %s', async (_, alias, count) => {
  const { dns } = hostileDns(asked =>
    asked.type === 'TXT' ? { answers: [record('CNAME', asked.name, alias(asked.name))] } : delegated(asked)
  )
  const { isEndless, hops } = await traceName(dns, NAME)
  expect([isEndless, hops.length]).toEqual([true, count])
})

test.each(['a b.example', '\x1b[31m.example', 'a\0.example', '', '.'])(
  'does not ask for the alias or the name server %j',
  async data => {
    const { dns, names } = hostileDns(asked => {
      const { type, name } = asked
      if (type === 'TXT') return { answers: [record('CNAME', name, data)] }
      const { answers } = delegated(asked)
      return { answers: type === 'NS' && inZone(name) ? [record('NS', name, data), ...answers] : answers }
    })
    const { isEndless } = await traceName(dns, NAME)
    const labels = NAME.split('.').map((_, i) => NAME.split('.').slice(i).join('.'))
    expect(names()).toEqual(new Set([...labels, 'ns.service.example', `${NAME}.service.example`]))
    expect(isEndless).toBe(false)
  }
)

test('follows a referral only to a zone that is nearer to the name', async () => {
  const zones = ['_domainkey.service.example', 'service.example', 'other.example', 'a._domainkey.service.example', '']
  for (const zone of zones) {
    const { dns } = hostileDns(({ server, type, name }) => {
      if (type === 'NS' && inZone(name)) return { answers: [record('NS', name, 'ns.service.example')] }
      if (type === 'A') return { answers: [record('A', name, name.startsWith('ns2') ? '192.0.2.2' : '192.0.2.1')] }
      return { authorities: server === '192.0.2.1' ? [record('NS', zone, 'ns2.service.example')] : [] }
    })
    const { hops } = await traceName(dns, NAME)
    expect(hops.map(hop => hop.zone)).toEqual([zone.startsWith('_') ? zone : 'service.example'])
  }
})

test('asks a lame server for no more than the name', async () => {
  const { dns, asked } = hostileDns(delegated)
  const lame = async () => ({ ...decode(encode({ type: 'response', flags: TRUNCATED_RESPONSE })), rcode: 'REFUSED' })
  const { hops } = await traceName({ ...dns, askServer: lame }, NAME)
  expect(hops[0]!.servers).toEqual([{ server: 'ns.service.example', address: '192.0.2.1', error: 'REFUSED' }])
  expect(asked.filter(({ server }) => server !== 'resolver')).toEqual([])
})
