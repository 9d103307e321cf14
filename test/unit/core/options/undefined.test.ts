import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAccountClient } from '../../../../src/account/index.ts'
import { OPTION_NAMES } from '../../../../src/core/options/options.ts'
import { dohTxtLookup } from '../../../../src/doh/index.ts'
import {
  createVerifier,
  diagnose,
  dnsTxtLookup,
  explain,
  fetchHandler,
  fromFetchRequest,
  fromLambdaEvent,
  fromNodeRequest,
  importPublicKey,
  lambdaHandler,
  nodeHandler,
  parseKeyRecord
} from '../../../../src/index.ts'
import { memoryReplayStore, postgresReplayStore, postgresReplayTable } from '../../../../src/replay/index.ts'
import { captureFixture, createTestService, serveDns } from '../../../../src/testing/index.ts'
import { listen } from '../../../support/listen.ts'
import { service } from '../../../support/service.ts'

/** Makes an object in which every one of these options is undefined, as `isTest ? fake : undefined` does. */
const unset = (...names: string[]): object => Object.fromEntries(names.map(name => [name, undefined]))

describe('an option that is undefined is an option that is left out', () => {
  test('an option of createVerifier that is undefined counts as left out', async () => {
    const { serviceDomain, hosts, accounts, lookupTxt } = service.options
    const given = { ...unset(...OPTION_NAMES), serviceDomain, hosts, accounts, lookupTxt }
    const body = '{"id":1}'
    expect(await createVerifier(given)(service.sign({ body }))).toMatchObject({ status: 'verified' })
  })

  test('an option of the signer that is undefined counts as left out', async () => {
    const signed = service.sign(unset('method', 'target', 'host', 'body', 'headers', 'date', 'covered', 'scheme'))
    expect(await createVerifier(service.options)(signed)).toMatchObject({ status: 'verified' })
    const names = ['serviceDomain', 'accountId', 'accountHeader']
    const { serviceDomain, accountHeader } = createTestService({ rsaBits: 1024, ...unset(...names) }).options
    expect([serviceDomain, accountHeader]).toEqual([service.options.serviceDomain, service.options.accountHeader])
  })

  test('an option of captureFixture that is undefined counts as left out', async () => {
    const signed = service.sign()
    const verdict = await createVerifier(service.options)(signed)
    const [options, dns, now] = [service.options, service.records, 0]
    const given = unset('body', 'name', 'source', 'redact')
    expect(captureFixture(signed, verdict, { options, dns, now, ...given })).toEqual(
      captureFixture(signed, verdict, { options, dns, now })
    )
  })

  test('an option of a store, lookup or client that is undefined counts as left out', async () => {
    const dns = await serveDns(service, unset('port'))
    onTestFinished(() => dns.close())
    const [name = ''] = Object.keys(service.records)
    const lookup = dnsTxtLookup({ ...unset('timeout', 'tries'), servers: [dns.address] })
    const { signal } = new AbortController()
    expect(await lookup(name, { signal })).toEqual(service.records[name])
    dnsTxtLookup(unset('servers', 'timeout', 'tries'))
    dohTxtLookup({ url: 'https://dns.example/', ...unset('method', 'fetch', 'timeout', 'requireAuthenticated') })
    createAccountClient({
      ...{ authUrl: 'https://a.example', baseUrl: 'https://a.example', accessToken: 'secret' },
      ...unset('fetch', 'now', 'timeout', 'selectAccountId')
    })
    expect(await memoryReplayStore(unset('maxEntries')).claim('id', 'token', 1)).toBe(true)
    postgresReplayStore({ query: async () => ({ rows: [] }) }, unset('table'))
    expect(postgresReplayTable(undefined)).toBe(postgresReplayTable())
  })

  test('an option of the pure steps and the explanation that is undefined counts as left out', async () => {
    const [[record = '']] = Object.values(service.records).map(records => records.map(chunks => chunks.join(''))) as [
      string[]
    ]
    const parsed = parseKeyRecord(record)
    if (!parsed.ok) throw new TypeError(parsed.message)
    expect(importPublicKey(parsed.value, unset('minRsaBits', 'maxRsaBits'))).toMatchObject({ ok: true })
    const verdict = await createVerifier(service.options)({ ...service.sign(), https: false })
    expect(diagnose(verdict, unset('settings'))).toEqual(diagnose(verdict))
    expect(explain(verdict, unset('settings'))).toBe(explain(verdict))
  })

  test('an option of an adapter or handler that is undefined counts as left out', async () => {
    const verify = createVerifier({ ...service.options, requireHttps: false })
    const proxy = ['https', 'host', 'prefix']
    const signed = service.sign({ target: '/hook' })
    const request = new Request('https://receiver.example/hook', signed)
    expect(await verify(fromFetchRequest(request, unset('body', ...proxy)))).toMatchObject({ status: 'verified' })
    const answer = await fetchHandler(verify, () => undefined, unset('onRefused', ...proxy))(request)
    expect(answer.status).toBe(204)

    const headers = Object.fromEntries(signed.headers)
    const event = { version: '2.0', rawPath: '/hook', headers, requestContext: { http: { method: 'GET' } } }
    expect(await verify(fromLambdaEvent(event, unset(...proxy)))).toMatchObject({ status: 'verified' })
    const handler = lambdaHandler(verify, () => undefined, unset('onRefused', ...proxy))
    expect(await handler(event, {})).toMatchObject({ statusCode: 204 })

    const names = ['body', 'onRefused', 'onError', 'drainBytes', 'drainTimeout', ...proxy]
    const receive = nodeHandler(verify, () => undefined, unset(...names))
    const server = createServer((req, res) => {
      expect(fromNodeRequest(req, unset('body', ...proxy)).target).toBe('/hook')
      return receive(req, res)
    })
    onTestFinished(() => void server.close())
    const port = await listen(server)
    expect((await fetch(`http://127.0.0.1:${port}/hook`)).status).toBe(401)
  })
})
