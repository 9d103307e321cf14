import { encode } from 'dns-packet'
import { expect, test } from 'vitest'
import { parseReply } from '../../../src/doh/message.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const NAME = 'key.service.example'

test('parses the longest message with the longest chains of pointers quickly', async () => {
  const head = encode({
    type: 'response',
    id: 0,
    questions: [{ type: 'TXT', class: 'IN', name: 'key.service.example' }]
  })
  const root = head.length - 5 // the end of the question's name
  const chain = Buffer.alloc(8192)
  const chainAt = head.length + 11
  let last = root
  for (let at = 0; at + 2 <= chain.length; at += 2) {
    chain.writeUInt16BE(0xc000 + last, at)
    last = chainAt + at
  }
  const record = (owner: Buffer, data: Buffer) => {
    const fixed = Buffer.alloc(10)
    fixed.writeUInt16BE(0xff00, 0) // a type for private use
    fixed.writeUInt16BE(1, 2)
    fixed.writeUInt16BE(data.length, 8)
    return Buffer.concat([owner, fixed, data])
  }
  const pointer = Buffer.alloc(2)
  pointer.writeUInt16BE(0xc000 + last)
  const small = record(pointer, Buffer.alloc(0))
  const count = Math.floor((16_384 - chainAt - chain.length) / small.length)
  const octets = Buffer.concat([head, record(Buffer.alloc(1), chain), ...Array(count).fill(small)])
  octets.writeUInt16BE(1 + count, 6)
  // It is well formed, so all of it is read.
  const parse = () =>
    expect(() => parseReply(octets, NAME, false)).toThrow(expect.objectContaining({ code: 'ENODATA' }))
  expect(await cpuTime(parse)).toBeLessThan(500)
})
