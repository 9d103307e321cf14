import { expect, test } from 'vitest'
import { networkOf } from '../src/addresses.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['1::3:4:5:6:7:8', '1:0:3:4'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  [undefined, '']
])('the network of %s is %s', (address, expected) => expect(networkOf(address)).toBe(expected))
