import { describe, expect, test } from 'vitest'
import { type DnsTxtLookupOptions, dnsTxtLookup } from '../../../src/index.ts'

describe('a bad option is refused at once', () => {
  const notAddresses = ['127.0.0.1', null, [], [''], [1], ['dns.example'], ['127.0.0.1', 'dns.example']]
  const notPorts = ['127.0.0.1:0', '[::1]:0', '127.0.0.1:65536', '127.0.0.1:', '127.0.0.1:dns']
  const notForms = [
    '[127.0.0.1]:53',
    '[::1',
    '127.0.0.256',
    ' 127.0.0.1',
    'https://127.0.0.1',
    '127.0.0.1:53:53',
    'x[::1]:53',
    ['127.0.0.1:53']
  ]

  test.each<[string, unknown[]]>([
    ['servers', [...notAddresses, ...notPorts.map(port => [port]), ...notForms.map(form => [form])]],
    ['timeout', [0, -1, 1.5, Number.NaN, 2 ** 31, '1000', null]],
    ['tries', [0, -1, 1.5, Number.NaN, 2 ** 31, '3', null]]
  ])('%s', (option, values) => {
    for (const value of values) {
      const options = { [option]: value } as DnsTxtLookupOptions
      expect(() => dnsTxtLookup(options), JSON.stringify(value)).toThrow(
        expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(`^${option} must be `) })
      )
    }
  })
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
