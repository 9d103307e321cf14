import { expect, test } from 'vitest'
import { readCapture } from '../../../cli/captures/read-capture.ts'

const read = (command: string) => {
  const [entry] = readCapture(Buffer.from(command))
  const { method, target, headers, body, https } = entry!.request
  return { method, target, headers, body: body && Buffer.from(body as Uint8Array).toString(), https }
}

test('is read with its method, target, headers and body, and the length that curl adds', () => {
  expect(
    read(
      "$ curl 'https://a.example/hook?id=1&b=%20' \\\n  -X 'POST' \\\r\n  -H 'X-A: b' --data-raw '{\"a\":1}' --compressed\n"
    )
  ).toEqual({
    method: 'POST',
    target: '/hook?id=1&b=%20',
    headers: Object.entries({ Host: 'a.example', 'X-A': 'b', 'Content-Length': '7' }),
    body: '{"a":1}',
    https: true
  })
})

test.each<[string, string]>([
  ["'it'\\''s'", "it's"],
  ['"a\\"b\\$c\\d"', 'a"b$c\\d'],
  ["$'a\\'b\\n\\u00e9\\ud83d\\ude00\\x41\\\\'", "a'b\né😀A\\"],
  ["'é'", 'é'],
  ["'a\n b'", 'a\n b'],
  ['a\\ b', 'a b'],
  ["a=1 -d 'b=2'", 'a=1&b=2']
])('-d %s is %j', (data, body) => {
  expect(read(`curl http://a.example/ -d ${data}`)).toMatchObject({ method: 'POST', body, https: false })
})

test('is GET without data, and keeps the Host and the Content-Length that it has', () => {
  const command = "curl --location 'https://10.0.0.5/' --header 'Host: a.example' --header 'content-length: 9'"
  expect(read(command)).toMatchObject({
    method: 'GET',
    headers: Object.entries({ Host: 'a.example', 'content-length': '9' })
  })
})

test('does not have a body that stands in a file', () => {
  const entries = readCapture(Buffer.from("curl https://a.example -H 'Digest: SHA-256=AAAA' --data-binary @body.json"))
  expect(entries[0]).toMatchObject({ missingBody: 'the capture does not have the body' })
})

test('without a URL is not a request', () => {
  expect(() => readCapture(Buffer.from('curl --version\n'))).toThrow('not a request in a format')
})
