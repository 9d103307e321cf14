import { expect, test } from 'vitest'
import { createVerifier, dnsTxtLookup, draftCavage, type Scheme } from '../../../../src/index.ts'
import { rfc9421 } from '../../../../src/rfc9421/index.ts'
import { captureFixture, createTestService } from '../../../../src/testing/index.ts'

const service = createTestService({ rsaBits: 1024 })
const signed = service.sign({ target: '/hook', body: '{}' })

const OPTIONS = () => ({
  ...service.options,
  hosts: ['receiver.example'],
  accounts: ['1234'],
  schemes: [draftCavage] as Scheme[],
  algorithms: ['rsa-sha256' as const],
  alsoCovered: ['x-nonce']
})

test.each(['hosts', 'accounts', 'schemes', 'algorithms', 'alsoCovered'] as const)(
  'a verifier has its own copy of %s',
  async name => {
    const options = OPTIONS()
    const verify = createVerifier(options)
    const other = service.sign({ target: '/hook', host: 'other.example', scheme: 'rfc9421' })
    const before = await verify(other)
    const list: unknown[] = options[name]
    list.push(...['other.example', '5678', rfc9421, 'ed25519', 'x-absent'])
    expect(await verify(other)).toEqual(before)
    expect((await verify(signed)).status).toBe('verified')
    list.length = 0
    expect((await verify(signed)).status).toBe('verified')
  }
)

test('every option may be replaced afterwards', async () => {
  const options = OPTIONS()
  const verify = createVerifier(options)
  for (const name of Object.keys(options)) Reflect.set(options, name, undefined)
  expect((await verify(signed)).status).toBe('verified')
})

test('dnsTxtLookup has its own copy of servers', () => {
  const servers = ['127.0.0.1:5353']
  const lookup = dnsTxtLookup({ servers }) as { servers?: () => readonly string[] }
  servers[0] = 'not an address'
  expect(lookup.servers?.()).toEqual(['127.0.0.1:5353'])
})

test('options of a test service are its own', () => {
  const [one, two] = [createTestService({ rsaBits: 1024 }), createTestService({ rsaBits: 1024 })]
  ;(one.options.hosts as string[]).push('other.example')
  expect(two.options.hosts).toEqual(['receiver.example'])
})

test('a fixture has its own copy of records and lists', async () => {
  const options = OPTIONS()
  const verdict = await createVerifier(options)(signed)
  const document = captureFixture(signed, verdict, { options, dns: service.records })
  const before = structuredClone(document)
  service.rotateKey()
  options.algorithms.length = 0
  options.alsoCovered.push('x-absent')
  expect(document).toEqual(before)
})
