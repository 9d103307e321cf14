import { expect, test } from 'vitest'
import { isLoopback } from '../../../src/http/uri.ts'

test.each(['localhost', '127.0.0.1', '127.255.0.10', '[::1]'])('%s is this machine', hostname => {
  expect(isLoopback(hostname)).toBe(true)
})

test.each(['a.localhost', 'localhost.example', '128.0.0.1', 'a127.0.0.1', '127.0.0.1.example', '127.0.0', '[::2]'])(
  '%s is another machine',
  hostname => expect(isLoopback(hostname)).toBe(false)
)
