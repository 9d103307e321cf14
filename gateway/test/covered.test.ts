import { afterAll, expect, test } from 'vitest'
import { equivalent, isSplit } from '../../test/support/equivalent.ts'
import { service } from '../../test/support/service.ts'
import { send, statusesOf } from '../../test/support/wire.ts'
import { forAll } from '../../test/unit/properties/arbitraries.ts'
import { startAuthorizer } from '../src/authorize.ts'
import { startRecordingUpstream } from './recording-upstream.ts'
import { startTestGateway, testSettings } from './start.ts'

const upstream = await startRecordingUpstream()
const gateway = await startTestGateway(upstream.url, { replay: { kind: 'none' } })
const common = testSettings(upstream.url, service, { replay: { kind: 'none' } })
const authorizer = await startAuthorizer({ ...common, from: 'as-is' })
afterAll(async () => {
  await authorizer.close()
  await gateway.close()
  await upstream.close()
})

test('the application sees the same covered lines of two requests with one signing string, as they were signed', () =>
  forAll(
    [equivalent({ target: '/hook', body: '{"id":1}' })],
    async ({ signed, received, values }) => {
      const before = upstream.requests.length
      for (const request of [signed, received]) await send(gateway.address, request)
      const [first, second, ...more] = upstream.requests
        .slice(before)
        .map(({ lines }) => lines.map(([name, value]) => [name.toLowerCase(), value] as const))
        .map(lines => lines.filter(([name]) => Object.hasOwn(values, name)))
      expect(new Map(first)).toEqual(new Map(Object.entries(values)))
      expect(first).toHaveLength(Object.keys(values).length)
      expect(second).toEqual(first)
      expect(more).toEqual([])
    },
    { numRuns: 40 }
  ))

test('authorize lets in only requests in which each covered header is one line that nothing else passes for', () =>
  forAll(
    [equivalent({ target: '/hook', body: '{"id":1}' })],
    async variant => {
      const isPair = ['x_event', 'x-event'].every(name => Object.hasOwn(variant.values, name))
      const statusOf = async (request: typeof variant.signed) => statusesOf(await send(authorizer.address, request))
      expect(await statusOf(variant.signed)).toEqual([isPair ? 401 : 200])
      expect(await statusOf(variant.received)).toEqual([isPair || isSplit(variant) ? 401 : 200])
    },
    { numRuns: 40 }
  ))
