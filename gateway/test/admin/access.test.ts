import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { accessRefusal } from '../../src/admin/access.ts'

const asked = (host: string, localPort: number) =>
  ({ headers: { host }, socket: { localPort } }) as unknown as IncomingMessage

test.each([
  ['localhost', 80, undefined],
  ['LOCALHOST:80', 80, undefined],
  ['[::1]', 80, undefined],
  ['10.0.0.5', 80, undefined],
  ['localhost', 8080, 403],
  ['evil.example', 80, 403]
])('a browser that was sent to %s on port %i leaves the default port out: %s', (host, port, refusal) => {
  expect(accessRefusal(asked(host, port), '10.0.0.5', undefined)).toBe(refusal)
})
