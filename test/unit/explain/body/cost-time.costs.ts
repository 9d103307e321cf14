import { expect, test } from 'vitest'
import { createVerifier, diagnose } from '../../../../src/index.ts'
import { findCostly } from '../../../fuzz/costly.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { MAX_SEARCH_TIME, quickSearchTime, searchTime } from '../../../support/body-cost.ts'
import { leastOf, leastSyncTime, leastTime } from '../../../support/cpu-time.ts'
import { service } from '../../../support/service.ts'

const verify = createVerifier(service.options)
const request = service.sign({ method: 'POST', body: '[]' })

/** A machine can be twice as slow for some seconds: this many measurements outlast that. */
const ATTEMPTS = 200

const ofLength = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length))

/** Makes bodies for which a search is slow: many tokens, many escapes, texts that grow. */
const BODIES: Readonly<Record<string, (length: number) => string | Buffer>> = {
  'a form of spaces': length => `a=${ofLength('+&', length - 2)}`,
  'a form of escapes': length => `a=${ofLength('%2b', length - 2)}`,
  'a form of marks': length => `a=${ofLength('!', length - 2)}`,
  'empty arrays': length => `[${ofLength('[],', length - 4)}[]]`,
  'empty objects': length => `[${ofLength('{},', length - 4)}{}]`,
  'empty strings': length => `[${ofLength('"",', length - 4)}""]`,
  'one number many times': length => `[${ofLength('1,', length - 3)}1]`,
  'numbers with a decimal': length => `[${ofLength('1.5,', length - 3)}1]`,
  'nested arrays': length => ofLength('[', length / 2) + ofLength(']', length / 2),
  'a string of escapes': length => `["${ofLength('\\u00e9', length - 4)}"]`,
  'a string of slashes': length => `["${ofLength('/', length - 4)}"]`,
  'a string of letters that are not ASCII': length => `["${ofLength('é', length / 2 - 4)}"]`,
  'a string that never ends': length => `"${ofLength('\\"', length - 1)}`,
  'backslashes and quotes in no string': length => `[${ofLength('\\"', length - 2)}]`,
  'brackets that open nothing': length => `[1]${ofLength('1]', length - 3)}`,
  'bytes that could begin U+FFFD': length => Buffer.alloc(length, 0xef),
  'bytes that are not UTF-8': length => Buffer.alloc(length, Buffer.of(0xf0, 0x9f, 0x98)),
  'a string with a document': length => `"${ofLength('\\n', length - 2)}"`,
  'line breaks': length => ofLength('\n', length),
  'CRLF line breaks': length => ofLength('\r\n', length)
}

test.each(Object.entries(BODIES))(
  'a diagnosis of a body of %s takes at most 5 ms',
  async (_, write) => {
    for (const length of [300, 2000, 4000, 8192, 16_384, 65_536]) {
      const written = write(length)
      const body = typeof written === 'string' ? Buffer.from(written) : written
      const verdict = await verify({ ...request, body })
      expect(verdict).toMatchObject({ failures: [{ code: 'digest-mismatch' }] })
      const time = await leastOf(async () => leastSyncTime(() => diagnose(verdict), 5), MAX_SEARCH_TIME, ATTEMPTS)
      expect(time, `${length} bytes, in milliseconds`).toBeLessThan(MAX_SEARCH_TIME)
    }
  },
  60_000
)

test('no body takes longer, however it is changed to make it more expensive', async () => {
  const end = performance.now() + 2000
  const costly = findCostly(createRandom(47), 65_536, quickSearchTime, () => performance.now() > end)
  for (const { body } of costly.slice(0, 5)) {
    const time = await leastOf(async () => searchTime(body, 20), MAX_SEARCH_TIME, ATTEMPTS)
    expect(time, `${body.length} bytes: ${body.toString('latin1', 0, 80)}`).toBeLessThan(MAX_SEARCH_TIME)
  }
})

test('a verdict on another body under a signed head costs at most 1.2 times a verified request', async () => {
  const ratio = async () => {
    const other = await leastTime(() => verify({ ...request, body: '[1]' }), 300)
    return other / (await leastTime(() => verify({ ...request, body: '[]' }), 300))
  }
  expect(await leastOf(ratio, 1.2, 50)).toBeLessThan(1.2)
})
