import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isForwardable, isFramed } from '../src/target.ts'

const request = (url: string, hosts: readonly string[], method = 'POST') =>
  ({ url, method, rawHeaders: hosts.flatMap(host => ['hOst', host]) }) as unknown as IncomingMessage

describe('isForwardable', () => {
  it.each([
    ['/hook?id=1#x', 'receiver.example'],
    ['//other.example/hook', 'receiver.example'],
    ['/', ''],
    ['http://receiver.example/hook', 'receiver.example'],
    ['HTTP://Receiver.Example:80/hook?a', 'receiver.EXAMPLE'],
    ['https://receiver.example?a', 'receiver.example:443'],
    ['http://receiver.example:8443', 'receiver.example:8443'],
    ['http://[::1]:8080/', '[::1]:8080']
  ])('takes %s with Host %s', (target, host) => {
    expect(isForwardable(request(target, [host]))).toBe(true)
  })

  it.each([
    ['http://other.example/hook', ['receiver.example']],
    ['http://receiver.example@other.example/hook', ['receiver.example']],
    ['http://user@receiver.example/hook', ['receiver.example']],
    ['http://receiver.example:81/hook', ['receiver.example']],
    ['http://receiver.example:443/hook', ['receiver.example']],
    ['http://receiver.example/hook', []],
    ['http://receiver.example/hook', ['receiver.example', 'receiver.example']],
    ['http://receiver.example/hook', ['other.example', 'receiver.example']],
    ['ftp://receiver.example/hook', ['receiver.example']],
    ['http:///hook', ['']],
    ['http:receiver.example', ['receiver.example']],
    ['receiver.example:443', ['receiver.example:443']],
    ['*', ['receiver.example']],
    ['*a', ['receiver.example']],
    ['', ['receiver.example']]
  ])('refuses %s with Host %j', (target, hosts) => {
    expect(isForwardable(request(target, hosts))).toBe(false)
  })

  it('accepts * of OPTIONS', () => {
    expect(isForwardable(request('*', ['receiver.example'], 'OPTIONS'))).toBe(true)
  })
})

describe('isFramed', () => {
  it.each([
    ['1.1', undefined, true],
    ['1.1', 'chunked', true],
    ['1.0', undefined, true],
    ['1.0', 'chunked', false],
    ['0.9', undefined, false],
    ['2.0', undefined, false]
  ])('HTTP/%s with Transfer-Encoding %s: %s', (httpVersion, coding, expected) => {
    const headers = { 'transfer-encoding': coding }
    expect(isFramed({ httpVersion, headers } as unknown as IncomingMessage)).toBe(expected)
  })
})
