import { expect, test } from 'vitest'
import { type DnsTxtLookupOptions, dnsTxtLookup } from '../../../../src/index.ts'

const NO_LISTS = ['127.0.0.1', null, [], [''], [1], ['127.0.0.1', 'dns.example'], [['127.0.0.1:53']]]
const NO_SERVERS = [
  'dns.example',
  '127.0.0.1:0',
  '[::1]:0',
  '127.0.0.1:65536',
  '127.0.0.1:',
  '127.0.0.1:dns',
  '[127.0.0.1]:53',
  '[::1',
  '127.0.0.256',
  ' 127.0.0.1',
  'https://127.0.0.1',
  '127.0.0.1:53:53',
  'x[::1]:53'
]
const NO_COUNTS = [0, -1, 1.5, Number.NaN, 2 ** 31, '1000', null]

test.each<[string, unknown[]]>([
  ['servers', [...NO_LISTS, ...NO_SERVERS.map(server => [server])]],
  ['timeout', NO_COUNTS],
  ['tries', NO_COUNTS]
])('a bad option is refused at once: %s', (option, values) => {
  const error = { name: 'TypeError', message: expect.stringMatching(`^${option} (?:is|has) .*: (?:pass|write) `) }
  for (const value of values) {
    const lookup = () => dnsTxtLookup({ [option]: value } as DnsTxtLookupOptions)
    expect(lookup, JSON.stringify(value)).toThrow(expect.objectContaining(error))
  }
})

test.each([
  [['127.0.0.1']],
  [['127.0.0.1:5353']],
  [['::1']],
  [['[::1]:5353']],
  [['192.0.2.1', '2001:db8::1', '192.0.2.2:65535']]
])('servers %j', servers => expect(dnsTxtLookup({ servers })).toBeTypeOf('function'))

test('no option is required: the servers are those of the system', () => {
  for (const options of [undefined, {}, { timeout: 1 }, { tries: 1 }])
    expect(dnsTxtLookup(options)).toBeTypeOf('function')
})
