import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { createVerifier, type ReplayStore } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../../test/support/listen.ts'
import { service } from '../../test/support/service.ts'
import { send, statusesOf, wire } from '../../test/support/wire.ts'
import { createCheck } from '../src/check.ts'
import { NO_WAITS } from '../src/connections.ts'
import { open } from './for-one-test.ts'
import { testSettings } from './start.ts'

test('a refusal is answered although the store does not take the claim back, and holds nothing', async () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => errors.mockRestore())
  const replayStore = {
    claim: async () => true,
    release: () => Promise.reject(Object.assign(new RangeError('secret'), { code: 'SQLITE_READONLY_DBMOVED' }))
  }
  const settings = { ...testSettings(new URL('http://127.0.0.1'), service), from: 'as-is' as const }
  const check = createCheck(settings, createVerifier({ ...settings.verifier, replayStore }))
  const server = createServer((req, res) => void check(req, res).catch(() => res.destroy()))
  const address = `127.0.0.1:${await listen(server)}`
  onTestFinished(() => {
    server.close()
  })
  const statusOf = async (body: string | Buffer, more?: Parameters<typeof send>[2]) =>
    statusesOf(await send(address, service.sign({ body }), more))

  // Seven bodies of 10 MB exceed the limit for all requests together.
  const large = Buffer.alloc(10_000_000, 'x')
  for (let i = 0; i < 7; i++) expect(await statusOf(large, [['X.Service.ID', 'evil']])).toEqual([401])
  expect(errors).toHaveBeenCalledWith(
    expect.stringMatching(/^a claim could not be released yet.*: SQLITE_READONLY_DBMOVED$/)
  )
  expect(await statusOf('{"id":1}')).toEqual([200])
})

test('a retry is accepted when the proxy has disconnected before its check was answered', async () => {
  const store = memoryReplayStore()
  const events = new EventEmitter()
  const claim: ReplayStore['claim'] = async (...call) => {
    if (events.emit('claim')) await once(events, 'disconnect')
    return store.claim(...call)
  }
  const settings = { ...testSettings(new URL('http://127.0.0.1'), service), from: 'as-is' as const }
  const check = createCheck(settings, createVerifier({ ...settings.verifier, replayStore: { ...store, claim } }))
  const checks: Promise<unknown>[] = []
  const server = createServer((req, res) => {
    res.once('close', () => events.emit('disconnect'))
    checks.push(check(req, res))
  })
  const address = `127.0.0.1:${await listen(server)}`
  onTestFinished(() => void server.close())
  const signed = service.sign()
  const socket = open(address, wire(signed))
  await once(events, 'claim')
  socket.destroy()
  expect(await checks[0]).toMatchObject({ verdict: { status: 'verified' }, status: 0 })
  expect(statusesOf(await send(address, signed))).toEqual([200])
  expect(statusesOf(await send(address, signed))).toEqual([401])
})

test('a connection may give way to a new one while a request is checked that is not verified, and no other', async () => {
  const settings = { ...testSettings(new URL('http://127.0.0.1'), service), from: 'as-is' as const }
  const check = createCheck(settings, createVerifier(settings.verifier))
  const onUnverified = vi.fn()
  const server = createServer((req, res) => void check(req, res, { ...NO_WAITS, forAnswer: onUnverified }))
  const address = `127.0.0.1:${await listen(server)}`
  onTestFinished(() => void server.close())
  expect(statusesOf(await send(address, service.sign()))).toEqual([200])
  expect(onUnverified).not.toHaveBeenCalled()
  expect(statusesOf(await send(address, { ...service.sign(), target: '/other' }))).toEqual([401])
  expect(onUnverified).toHaveBeenCalledOnce()
  expect(statusesOf(await send(address, service.sign(), [['X-Envoy-Auth-Partial-Body', 'true']]))).toEqual([413])
  expect(onUnverified).toHaveBeenCalledTimes(2)
})
