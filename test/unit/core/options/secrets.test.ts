import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { createAccountClient } from '../../../../src/account/index.ts'
import { dohTxtLookup } from '../../../../src/doh/index.ts'
import * as main from '../../../../src/index.ts'
import * as replay from '../../../../src/replay/index.ts'
import * as testing from '../../../../src/testing/index.ts'
import { service } from '../../../support/service.ts'

const SECRET = 'S3cr3tS3cr3t'
const values: readonly unknown[] = [
  SECRET,
  `redis://:${SECRET}@h`,
  `https://u:${SECRET}@h/`,
  [SECRET],
  { secret: SECRET, toString: () => SECRET },
  new URL(`https://u:${SECRET}@h/`)
]
const { createVerifier, dnsTxtLookup, nodeHandler } = main
const { memoryReplayStore, postgresReplayStore, redisReplayStore, sqliteReplayStore } = replay
const verify = createVerifier(service.options)
const verifier = { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234' }
const account = { authUrl: 'https://a.example', baseUrl: 'https://b.example', accessToken: SECRET }
const functions = { ...main, ...replay, ...testing, createAccountClient, dohTxtLookup, sign: service.sign, verify }

/** Passes a value wherever an object, a store, a client, a function, a URL, a number or a secret is expected. */
const PLACES: Readonly<Record<string, (value: unknown) => unknown>> = {
  ...(Object.fromEntries(Object.entries(functions).filter(([, each]) => typeof each === 'function')) as object),
  ...ofOptions('createVerifier', options => createVerifier({ ...verifier, ...options }), [
    'requireHttps',
    'dateTolerance',
    'schemes',
    'minRsaBits',
    'maxBodyBytes',
    'bodyTimeout',
    'lookupTxt',
    'lookupTimeout',
    'replayStore',
    'replayTimeout',
    'now'
  ]),
  ...ofOptions('createAccountClient', options => createAccountClient({ ...account, ...options }), [
    'authUrl',
    'baseUrl',
    'fetch',
    'now',
    'timeout',
    'selectAccountId'
  ]),
  ...ofOptions('dohTxtLookup', options => dohTxtLookup({ url: 'https://a.example', ...options }), [
    'url',
    'method',
    'fetch',
    'timeout',
    'requireAuthenticated'
  ]),
  ...ofOptions('dnsTxtLookup', dnsTxtLookup, ['servers', 'timeout', 'tries']),
  ...ofOptions('memoryReplayStore', memoryReplayStore as never, ['maxEntries']),
  ...ofOptions('postgresReplayStore', options => postgresReplayStore({ query: async () => ({}) } as never, options), [
    'table'
  ]),
  ...ofOptions('nodeHandler', options => nodeHandler(verify, () => {}, options), [
    'drainBytes',
    'drainTimeout',
    'onRefused',
    'onError'
  ]),
  'sqliteReplayStore: table': value =>
    sqliteReplayStore({ exec: () => {}, prepare: () => ({}) } as never, { table: value as never }),
  'the handler': value => nodeHandler(verify, value as never),
  'a client': value => redisReplayStore({ set: value, eval: value } as never)
}

function ofOptions(name: string, call: (options: object) => unknown, options: readonly string[]) {
  return Object.fromEntries(
    options.map(option => [`${name}: ${option}`, (value: unknown) => call({ [option]: value })])
  )
}

test.each(Object.entries(PLACES))('no error shows a secret in the place of %s', async (_, call) => {
  for (const value of values) {
    const error = await (async () => call(value))().then(
      () => undefined,
      (thrown: unknown) => thrown
    )
    if (error === undefined) continue
    expect((error as Error).message).not.toContain(SECRET)
    expect((error as Error).stack).not.toContain(SECRET)
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(SECRET)
  }
})

test('the credentials of a URL are shown nowhere', () => {
  for (const name of ['serviceDomain', 'hosts', 'accountHeader', 'algorithms', 'alsoCovered']) {
    const value = `https://u:${SECRET}@h/ `
    const given = name === 'algorithms' || name === 'alsoCovered' ? [value] : value
    expect(() => createVerifier({ ...verifier, [name]: given } as never)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(SECRET) })
    )
  }
})
