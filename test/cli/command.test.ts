import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { type Io, readBytes } from '../../cli/command.ts'
import { runInside } from '../support/run-cli.ts'

const MEGABYTE = Buffer.alloc(2 ** 20)

/** Gives this many megabytes of standard input; reading on is an error. */
const ioOf = (megabytes: number) => {
  const chunks = function* () {
    for (let n = 0; n < megabytes; n++) yield MEGABYTE
    if (megabytes > 16) throw new Error('read on')
  }
  return { stdin: Readable.from(chunks()) } as unknown as Io
}

test('an input of 16 MB is read whole, and a larger one not to its end', async () => {
  expect(await readBytes('-', 'FILE', ioOf(16))).toHaveLength(16 * 2 ** 20)
  await expect(readBytes('-', '--data', ioOf(17))).rejects.toThrow(/^- \(--data\) is larger than 16 MB$/)
  for (const option of ['FILE', '--request'])
    await expect(readBytes('-', option, ioOf(17))).rejects.toThrow(/MB: save the one request in a file of its own$/)
})

test('the variables of the gateway beside a command are not taken for misspelled ones of the command', async () => {
  const env = { SIGNED_REQUESTS_DRAIN: '5', SIGNED_REQUESTS_DOMAIN: 'service.example' }
  expect(await runInside(['explain', 'date-too-old'], '', false, env)).toMatchObject({ code: 0, stderr: '' })
})
