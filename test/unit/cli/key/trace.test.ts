import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet'
import { expect, it } from 'vitest'
import { isPrivate } from '../../../../src/cli/key/addresses.ts'
import type { Ask, Query } from '../../../../src/cli/key/ask.ts'
import { traceName } from '../../../../src/cli/key/trace.ts'

const RESOLVER = { address: '127.0.0.1', port: 53 }
const NAME = 'one._domainkey.service.example'

/** A zone that says what a hostile one could: `records` of each name and type. */
function hostileZone(records: (query: Query) => Answer[]): { ask: Ask; asked: Query[] } {
  const asked: Query[] = []
  const ask: Ask = async query => {
    asked.push(query)
    const { type, name } = query
    const answers = records(query)
    const questions = [{ type, name }]
    const packet = encode({ type: 'response', flags: AUTHORITATIVE_ANSWER, questions, answers })
    return { packet: decode(packet) }
  }
  return { ask, asked }
}

const soa = (name: string): Answer => ({ type: 'SOA', name, data: { mname: 'ns', rname: 'root', serial: 1 } })

it.each([
  ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '0.0.0.0'],
  ...['168.63.129.16', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.0.192'],
  ...['::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '64:ff9b::a00:1', 'fd00:ec2::254'],
  ...['fe80::1', 'fec0::1', 'ff02::1', '2002:a00:1::1', '2001:0:a00:1::']
])('takes %s for a private address', address => {
  expect(isPrivate(address)).toBe(true)
})

it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '192.0.2.1', '2001:db8::1', '2606:4700::1111'])(
  'takes %s for a public address',
  address => {
    expect(isPrivate(address)).toBe(false)
  }
)

it.each([false, true])('asks a name server at a private address only with --private: %s', async isGiven => {
  const { ask, asked } = hostileZone(({ type, name }) => {
    if (type === 'SOA') return [soa('service.example')]
    if (type === 'NS') return [{ type, name, data: 'ns.service.example' }]
    if (type === 'A') return [{ type, name, data: '10.0.0.1' }]
    return type === 'AAAA' ? [{ type, name, data: '::ffff:10.0.0.2' }] : []
  })
  await traceName(ask, NAME, { resolvers: [RESOLVER], includePrivate: isGiven })
  const servers = new Set(asked.map(({ server }) => server.address))
  expect(servers.size > 1).toBe(isGiven)
})

it('asks at most 8 of 1,000 name servers, each address once', async () => {
  const { ask, asked } = hostileZone(({ type, name }) => {
    if (type === 'SOA') return [soa('service.example')]
    if (type === 'NS') return Array.from({ length: 1000 }, (_, i) => ({ type, name, data: `ns${i}.service.example` }))
    return type === 'A' ? [{ type, name, data: '192.0.2.1' }] : []
  })
  await traceName(ask, NAME, { resolvers: [RESOLVER], includePrivate: false })
  expect(asked.filter(({ type }) => type === 'A')).toHaveLength(8)
  expect(asked.filter(({ server, type }) => server.address === '192.0.2.1' && type === 'SOA')).toHaveLength(1)
})

it('follows no more than 8 aliases', async () => {
  const { ask, asked } = hostileZone(({ type, name }) => {
    if (type === 'TXT') return [{ type: 'CNAME', name, data: `a.${name}` }]
    if (type === 'SOA') return [soa('service.example')]
    if (type === 'NS') return [{ type, name, data: 'ns.service.example' }]
    return type === 'A' ? [{ type, name, data: '192.0.2.1' }] : []
  })
  const trace = await traceName(ask, NAME, { resolvers: [RESOLVER], includePrivate: false })
  expect(trace.end).toBe('too-many-aliases')
  expect(new Set(asked.map(({ name }) => name)).has(`${'a.'.repeat(9)}${NAME}`)).toBe(false)
})
