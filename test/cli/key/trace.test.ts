import { type Answer, AUTHENTIC_DATA, AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet'
import { expect, test } from 'vitest'
import { isPrivate } from '../../../cli/key/addresses.ts'
import type { Dns, Reply } from '../../../cli/key/ask.ts'
import { traceName } from '../../../cli/key/trace.ts'

const NAME = 'one._domainkey.service.example'

interface Asked {
  readonly server: string
  readonly type: 'TXT' | 'SOA' | 'NS' | 'A' | 'AAAA'
  readonly name: string
}

/** Makes DNS in which a hostile zone answers anything, to the resolver and to everybody else. */
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
    errorOverTcp: async () => undefined,
    askServer: (address, type, name) => reply(address, type as Asked['type'], name)
  }
  return { dns, asked, names: () => new Set(asked.map(({ name }) => name)) }
}

const record = (type: 'NS' | 'A' | 'CNAME', name: string, data: string): Answer => ({ type, name, data, ttl: 300 })
const inZone = (name: string) => name === 'service.example'

/** Answers for a zone with one name server, which has an address. */
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
  const { dns, asked } = hostileDns(asked =>
    asked.type === 'TXT' ? { answers: [record('CNAME', asked.name, alias(asked.name))] } : delegated(asked)
  )
  const { isEndless, hops } = await traceName(dns, NAME)
  expect([isEndless, hops.length]).toEqual([true, count])
  const zones = asked.filter(({ type }) => type === 'NS').map(({ name }) => name)
  expect(Math.max(...zones.map(zone => zone.split('.').length))).toBe(Math.min(8, hops.at(-1)!.name.split('.').length))
  // The name with its zone appended explains no alias that has no end.
  expect(asked.map(({ name }) => name)).not.toContain(`${hops.at(-1)!.name}.service.example`)
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

/** Makes DNS of honest servers: the replies of the resolver and of each name server, by type and name. */
function honestDns(records: Readonly<Record<string, { answers?: Answer[]; authorities?: Answer[]; rcode?: string }>>) {
  const asked: string[] = []
  const reply = async (server: string, type: string, name: string, dnssec?: number) => {
    const question = `${server} ${type} ${name}${dnssec === undefined ? '' : ` ${dnssec}`}`
    asked.push(question)
    return { rcode: 'NOERROR', flag_aa: server !== 'resolver', flag_ad: false, ...records[question] } as Reply
  }
  const dns: Dns = {
    resolve: (type, name, dnssec) => reply('resolver', type, name, dnssec),
    errorOverTcp: async () => undefined,
    askServer: (address, type, name) => reply(address, type, name)
  }
  return { dns, asked }
}

const txt = (name: string, ...strings: string[]): Answer => ({
  type: 'TXT',
  name,
  ttl: 300,
  data: strings.map(string => Buffer.from(string))
})
const soa = (name: string, serial: number, ttl = 900, minimum = 600): Answer => ({
  type: 'SOA',
  name,
  ttl,
  data: { mname: 'ns', rname: 'root', serial, refresh: 1, retry: 1, expire: 1, minimum }
})

const ZONE_DNS = {
  'resolver NS service.example': {
    answers: [
      record('NS', 'Service.Example', 'NS1.service.example'),
      record('NS', 'Service.Example', 'ns2.service.example')
    ]
  },
  'resolver A ns1.service.example': { answers: [record('A', 'ns1.service.example', '192.0.2.1')] },
  'resolver A ns2.service.example': { answers: [record('A', 'ns2.service.example', '192.0.2.2')] },
  '192.0.2.1 SOA service.example': { answers: [soa('service.example', 7)] },
  '192.0.2.2 SOA service.example': { answers: [soa('service.example', 8)] }
}

test('traces a name: each name server has its answer and the serial of its zone, and the resolver its time', async () => {
  const { dns } = honestDns({
    ...ZONE_DNS,
    [`resolver TXT ${NAME} ${AUTHENTIC_DATA}`]: { answers: [{ ...txt(NAME, 'a'), ttl: 42 } as Answer] },
    [`192.0.2.1 TXT ${NAME}`]: {
      answers: [txt(NAME.toUpperCase(), 'v=DK', 'IM1'), txt(NAME, 'two'), txt('a.example', 'no')]
    },
    [`192.0.2.2 TXT ${NAME}`]: { rcode: 'NXDOMAIN' }
  })
  expect(await traceName(dns, NAME)).toEqual({
    ttl: 42,
    isAuthenticated: false,
    isBogus: false,
    isEndless: false,
    isCut: false,
    misplaced: undefined,
    hops: [
      {
        name: NAME,
        zone: 'service.example',
        servers: [
          {
            server: 'ns1.service.example',
            address: '192.0.2.1',
            serial: 7,
            isAbsent: false,
            alias: undefined,
            texts: ['v=DKIM1', 'two']
          },
          {
            server: 'ns2.service.example',
            address: '192.0.2.2',
            serial: 8,
            isAbsent: true,
            alias: undefined,
            texts: []
          }
        ]
      }
    ]
  })
})

test('follows the alias of the resolver where no name server answers, into the zone of the other name', async () => {
  const { dns } = honestDns({
    [`resolver TXT ${NAME} ${AUTHENTIC_DATA}`]: { answers: [record('CNAME', NAME, 'Key.Other.Example')] }
  })
  const { hops, isEndless } = await traceName(dns, NAME)
  expect([hops, isEndless]).toEqual([[NAME, 'key.other.example'].map(name => ({ name, servers: [] })), false])
})

test('follows an alias that comes with SERVFAIL, as BIND answers a loop', async () => {
  const { dns } = honestDns({
    ...ZONE_DNS,
    [`192.0.2.1 TXT ${NAME}`]: { rcode: 'SERVFAIL', answers: [record('CNAME', NAME, NAME)] }
  })
  const { hops, isEndless } = await traceName(dns, NAME)
  expect([hops[0]!.servers[0]?.alias, isEndless]).toEqual([NAME, true])
})

test.each<[string, Answer[], Answer[], number | undefined]>([
  ['the shortest of its records', [txt(NAME, 'a'), { ...txt(NAME, 'b'), ttl: 7 } as Answer], [], 7],
  ['the minimum of the zone, for a name without a record', [], [soa('service.example', 1, 900, 600)], 600],
  ['the time of the SOA record where that is shorter', [], [soa('service.example', 1, 60, 600)], 60],
  ['nothing where it says nothing', [], [], undefined]
])('the resolver asks again after %s', async (_, answers, authorities, ttl) => {
  const { dns } = honestDns({ [`resolver TXT ${NAME} ${AUTHENTIC_DATA}`]: { answers, authorities } })
  expect((await traceName(dns, NAME)).ttl).toBe(ttl)
})

test.each([
  ['SERVFAIL', 'NOERROR', true],
  ['SERVFAIL', 'NXDOMAIN', true],
  ['SERVFAIL', 'SERVFAIL', false],
  ['REFUSED', 'NOERROR', false]
])('a resolver that says %s, and %s when it is asked not to validate, has invalid signatures: %s', async (...row) => {
  const [validating, other, isBogus] = row
  const { dns } = honestDns({
    [`resolver TXT ${NAME} ${AUTHENTIC_DATA}`]: { rcode: validating },
    [`resolver TXT ${NAME}`]: { rcode: other }
  })
  expect((await traceName(dns, NAME)).isBogus).toBe(isBogus)
})

test.each([
  ['a server has no record at the name', [], `${NAME}.service.example`],
  ['a server has the key', [txt(NAME, 'a')], undefined]
])('finds the key at the name with the zone appended twice when %s', async (_, answers, misplaced) => {
  const appended = `${NAME}.service.example`
  const { dns } = honestDns({
    ...ZONE_DNS,
    [`192.0.2.1 TXT ${NAME}`]: { answers },
    [`192.0.2.2 TXT ${NAME}`]: { rcode: 'REFUSED' },
    [`resolver TXT ${appended}`]: { answers: [txt(appended, 'v=DKIM1')] }
  })
  expect((await traceName(dns, NAME)).misplaced).toBe(misplaced)
})

test('a name that is too long with the zone appended is not asked for', async () => {
  const name = `${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(20)}.${NAME}`
  const { dns, asked } = honestDns(ZONE_DNS)
  expect((await traceName(dns, name)).misplaced).toBeUndefined()
  expect(asked.filter(question => question.startsWith('resolver TXT '))).toEqual([
    `resolver TXT ${name} ${AUTHENTIC_DATA}`
  ])
})

test('asks for no address of a name server that is in the referral', async () => {
  const { dns, asked } = honestDns({
    ...ZONE_DNS,
    'resolver NS service.example': {
      answers: [record('NS', 'service.example', 'ns1.service.example')],
      ...{ additionals: [record('A', 'ns1.service.example', '192.0.2.1')] }
    }
  })
  const { hops } = await traceName(dns, NAME)
  expect(hops[0]!.servers).toMatchObject([{ address: '192.0.2.1', serial: 7 }])
  expect(asked).not.toContain('resolver A ns1.service.example')
})

test('a name server that is not authoritative has no answer, and a trace that was cut says so', async () => {
  const { dns } = honestDns({
    ...ZONE_DNS,
    [`192.0.2.1 TXT ${NAME}`]: { answers: [txt(NAME, 'a')], ...{ flag_aa: false } },
    [`192.0.2.2 TXT ${NAME}`]: { ...{ error: 'EBUDGET', rcode: undefined as never } }
  })
  const { hops, isCut } = await traceName(dns, NAME)
  expect(hops[0]!.servers.map(({ error, texts }) => [error, texts])).toEqual([
    ['not authoritative', undefined],
    ['EBUDGET', undefined]
  ])
  expect(isCut).toBe(true)
})
