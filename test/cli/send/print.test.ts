import { describe, expect, test } from 'vitest'
import { printRequest } from '../../../cli/send/print.ts'
import type { SignedTestRequest } from '../../../src/testing/index.ts'

const DESTINATION = { url: new URL('http://receiver.example/hook'), path: '/hook', isInsecure: false }

const curl = (body: string | Buffer | null, headers: SignedTestRequest['headers'] = []) => {
  const bytes = body === null ? null : new Uint8Array(Buffer.from(body as string))
  const request = { method: 'POST', target: '/hook', headers, body: bytes, https: true }
  return printRequest('curl', request as SignedTestRequest, DESTINATION).replaceAll(' \\\n ', '')
}
const START = 'curl --include --request POST --globoff --path-as-is http://receiver.example/hook'
const UNTYPED = " --header 'Content-Type:'"

describe('a curl command', () => {
  test.each<[what: string, printed: string, expected: string]>([
    ['without a body', curl(null), START],
    ['with an empty body', curl(''), `${START}${UNTYPED} --data-raw ''`],
    ['with text of several lines and quotes', curl("a'b\nc"), `${START}${UNTYPED} --data-raw 'a'\\''b\nc'`],
    [
      'with a body that has a type',
      curl('{}', [['content-type', 'application/json']]),
      `${START} --header 'content-type: application/json' --data-raw '{}'`
    ],
    ['with a header without a value', curl(null, [['X-Empty', '']]), `${START} --header 'X-Empty;'`],
    [
      'with bytes that are not ASCII',
      curl(Buffer.from([0, 0xff])),
      `printf %s 'AP8=' | base64 -d | ${START}${UNTYPED} --data-binary @-`
    ]
  ])('a curl command %s', (_, printed, expected) => expect(printed).toBe(expected))

  test('a curl command has a body as an argument up to the limit of one, and in a pipe above it', () => {
    expect(curl('x'.repeat(100_000)).startsWith(START)).toBe(true)
    expect(curl('x'.repeat(100_001)).startsWith("printf %s 'eHh4")).toBe(true)
  })
})
