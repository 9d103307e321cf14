import { expect, test } from 'vitest'
import { createAccountClient } from '../../../src/account/index.ts'
import { nearest } from '../../../src/core/mistakes.ts'
import { dohTxtLookup } from '../../../src/doh/index.ts'
import {
  createVerifier,
  dnsTxtLookup,
  fetchHandler,
  fromFetchRequest,
  fromLambdaEvent,
  fromNodeRequest,
  lambdaHandler,
  nodeHandler,
  nodeMiddleware
} from '../../../src/index.ts'
import { createRecorder } from '../../../src/recorder/index.ts'
import {
  memoryReplayStore,
  postgresReplayStore,
  postgresReplayTable,
  redisReplayStore,
  sqliteReplayStore
} from '../../../src/replay/index.ts'
import { createTestService } from '../../../src/testing/index.ts'

const verifier = { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234' }
const account = { authUrl: 'https://a.example', baseUrl: 'https://b.example', accessToken: 'secret' }
const redis = { set: async () => 'OK', del: async () => 1 }

/** A misspelled option would otherwise be ignored, and with it a limit or a check. */
test.each<[string, (options: object) => unknown]>([
  ['createVerifier', options => createVerifier({ ...verifier, ...options })],
  ['dnsTxtLookup', options => dnsTxtLookup(options)],
  ['memoryReplayStore', options => memoryReplayStore(options)],
  ['redisReplayStore', options => redisReplayStore(redis as never, options)],
  ['createAccountClient', options => createAccountClient({ ...account, ...options })]
])('%s rejects an option that it does not have, and names those it has', (name, make) => {
  expect(() => make({ 'colour\n': 1 })).toThrow(TypeError)
  expect(() => make({ 'colour\n': 1 })).toThrow(`${name}() has no option "colour\\n": its options are `)
})

test.each([
  ['requireHTTPS', 'requireHttps'],
  ['host', 'hosts'],
  ['serviceDomian', 'serviceDomain'],
  ['hosst', 'hosts'],
  ['hostss', 'hosts'],
  ['ohsst', undefined],
  ['maxBodySize', 'maxBodyBytes'],
  ['colour', undefined],
  ['', undefined]
])('%j is nearest to %j', (name, expected) => {
  expect(nearest(name, ['serviceDomain', 'hosts', 'requireHttps', 'maxBodyBytes'])).toBe(expected)
})

test('a misspelled name is answered with the nearest one', () => {
  const message = /^createVerifier\(\) has no option "requireHTTPS": write requireHttps$/
  expect(() => createVerifier({ ...verifier, requireHTTPS: true } as never)).toThrow(message)
})

test('all wrong options are reported together, each in a line', () => {
  const wrong = { hosts: 'https://a.example', accounts: '', minRsaBits: 512, replayStore: new Map(), colour: 1 }
  expect(() => createVerifier(wrong as never)).toThrow(TypeError)
  try {
    createVerifier(wrong as never)
  } catch (error) {
    const lines = (error as Error).message.split('\n')
    const names = ['"colour"', 'serviceDomain', 'hosts', 'accounts', 'minRsaBits', 'replayStore']
    expect(lines.map((line, i) => line.includes(names[i]!))).toEqual(names.map(() => true))
  }
})

const wrongly = (call: (...args: never[]) => unknown, ...args: unknown[]) => [call, args] as const
const verify = createVerifier(verifier)
const wrong = { colour: 1, https: 'yes' }

test.each([
  wrongly(createVerifier, {}),
  wrongly(nodeHandler, verify, () => {}, wrong),
  wrongly(nodeMiddleware, verify, wrong),
  wrongly(fetchHandler, verify, () => {}, wrong),
  wrongly(lambdaHandler, verify, () => {}, wrong),
  wrongly(fromNodeRequest, {}),
  wrongly(fromFetchRequest, {}),
  wrongly(fromLambdaEvent, {}),
  wrongly(dnsTxtLookup, { tries: 0 }),
  wrongly(dohTxtLookup, {}),
  wrongly(memoryReplayStore, { maxEntries: 0 }),
  wrongly(sqliteReplayStore, undefined),
  wrongly(redisReplayStore, undefined),
  wrongly(postgresReplayStore, undefined),
  wrongly(postgresReplayTable, 'a-b'),
  wrongly(createAccountClient, {}),
  wrongly(createRecorder, { keep: 0 }),
  wrongly(createTestService, { rsaBits: 1 })
])('the stack of a mistake begins where %o was called', (call, args) => {
  let stack: string[] = []
  try {
    call(...(args as never[]))
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    stack = (error as Error).stack!.split('\n').filter(line => /^ +at /.test(line))
  }
  expect(stack[0]).toContain('mistakes.test.ts')
})

test.each([
  ['nodeHandler', () => nodeHandler(undefined as never, undefined as never, wrong as never), 4],
  ['nodeMiddleware', () => nodeMiddleware(undefined as never, wrong as never), 3],
  ['fetchHandler', () => fetchHandler(undefined as never, undefined as never, wrong as never), 4],
  ['lambdaHandler', () => lambdaHandler(undefined as never, undefined as never, wrong as never), 4],
  ['createAccountClient', () => createAccountClient({} as never), 3],
  ['redisReplayStore', () => redisReplayStore(undefined as never, { prefix: 1 } as never), 2],
  ['sqliteReplayStore', () => sqliteReplayStore(undefined as never, { table: 1 } as never), 2],
  ['postgresReplayStore', () => postgresReplayStore(undefined as never, { table: 1 } as never), 2],
  ['dohTxtLookup', () => dohTxtLookup({ url: 'x', timeout: 0, method: 'PUT' } as never), 3]
] as const)('%s reports all mistakes at once', (_, call, count) => {
  expect(call).toThrow(new RegExp(`^[^\\n]+(?:\\n[^\\n]+){${count - 1}}$`))
})

test('an algorithm is not a mistake because the schemes are one', () => {
  const wrong = { ...verifier, schemes: 'draft-cavage', algorithms: ['rsa-sha256'] }
  expect(() => createVerifier(wrong as never)).toThrow(/^schemes is [^\n]*$/)
})

test('a list is not taken for options', () => {
  expect(() => createTestService([] as never)).toThrow('createTestService() got an empty array for its options')
})
