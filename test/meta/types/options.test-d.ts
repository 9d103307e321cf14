import type { IncomingMessage } from 'node:http'
import {
  createVerifier,
  dnsTxtLookup,
  fetchHandler,
  fromFetchRequest,
  fromNodeRequest,
  type LookupTxt,
  lambdaHandler,
  nodeHandler,
  type ReceivedRequest,
  type ReplayStore,
  type Verdict,
  type VerifierOptions,
  type Verify
} from 'signed-requests'
import { createAccountClient } from 'signed-requests/account'
import { memoryReplayStore, type ReplayStore as StoreOfReplay } from 'signed-requests/replay'
import { createTestService } from 'signed-requests/testing'
import { expectTypeOf } from 'vitest'

const required = { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234' }

expectTypeOf(createVerifier(required)).returns.toEqualTypeOf<Promise<Verdict>>()
expectTypeOf(createVerifier(required)).parameters.toEqualTypeOf<[request: ReceivedRequest]>()

// Every documented option is accepted.
createVerifier({ ...required, hosts: ['a.example', 'b.example:8443'], accounts: ['1', '2'] as const })
createVerifier({ ...required, accounts: id => id === '1234' })
createVerifier({ ...required, accounts: async id => id === '1234' })
createVerifier({ ...required, algorithms: ['rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519'] })
createVerifier({ ...required, lookupTxt: dnsTxtLookup({ servers: ['127.0.0.1:5353'], timeout: 500, tries: 2 }) })
createVerifier({ ...required, replayStore: memoryReplayStore(), now: Date.now })
createVerifier(createTestService().options)
createVerifier({ ...required, accounts: createAccountClient({ authUrl: '', baseUrl: '', accessToken: '' }).accepts })

// Each of these is refused; the same without the fault is accepted above.
expectTypeOf({ hosts: 'receiver.example', accounts: '1234' }).not.toExtend<VerifierOptions>()
expectTypeOf({ serviceDomain: 'service.example', accounts: '1234' }).not.toExtend<VerifierOptions>()
expectTypeOf({ serviceDomain: 'service.example', hosts: 'receiver.example' }).not.toExtend<VerifierOptions>()
expectTypeOf({ ...required, accounts: 1234 }).not.toExtend<VerifierOptions>()
expectTypeOf({ ...required, dateTolerance: '300' }).not.toExtend<VerifierOptions>()
expectTypeOf({ ...required, algorithms: ['rsa-md5'] as const }).not.toExtend<VerifierOptions>()
expectTypeOf({ ...required, now: new Date() }).not.toExtend<VerifierOptions>()
expectTypeOf({ ...required, replayStore: new Map<string, number>() }).not.toExtend<VerifierOptions>()
expectTypeOf({ ...required, lookupTxt: () => [['v=DKIM1']] }).not.toExtend<VerifierOptions>()
expectTypeOf({ ...required, algorithms: ['rsa-sha256'] as const, dateTolerance: 300 }).toExtend<VerifierOptions>()
// @ts-expect-error no such option
createVerifier({ ...required, requireHTTPS: false })
expectTypeOf<NonNullable<VerifierOptions['lookupTxt']>>().toEqualTypeOf<LookupTxt>()
expectTypeOf<StoreOfReplay>().toEqualTypeOf<ReplayStore>()

const head = { method: 'POST', target: '/hook', headers: { host: 'receiver.example' }, https: true }
expectTypeOf({ ...head, body: null }).toMatchTypeOf<ReceivedRequest>()
expectTypeOf({ ...head, body: Buffer.from('') }).toMatchTypeOf<ReceivedRequest>()
expectTypeOf({ ...head, headers: new Headers(), body: '' }).toMatchTypeOf<ReceivedRequest>()
// A parsed body is not raw bytes.
expectTypeOf({ ...head, body: { id: 1 } }).not.toMatchTypeOf<ReceivedRequest>()
expectTypeOf(head).not.toMatchTypeOf<ReceivedRequest>()

export function adapters(req: IncomingMessage, request: Request) {
  expectTypeOf(fromNodeRequest(req, { https: 'x-forwarded-proto' })).toEqualTypeOf<ReceivedRequest>()
  expectTypeOf(fromFetchRequest(request, { host: 'receiver.example' })).toEqualTypeOf<ReceivedRequest>()
  // @ts-expect-error another framework's request
  fromNodeRequest(request)
  // @ts-expect-error another framework's request
  fromFetchRequest(req)
  // @ts-expect-error a parsed body is not a raw body
  fromNodeRequest(req, { body: { id: 1 } })
}

export function handlers(verify: Verify, raw: Uint8Array) {
  nodeHandler(verify, () => {}, { body: () => raw })
  // @ts-expect-error fixed bytes would be the body of every request
  nodeHandler(verify, () => {}, { body: raw })
  // @ts-expect-error fixed bytes would be the body of every request
  fetchHandler(verify, () => {}, { body: raw })
  // @ts-expect-error fixed bytes would be the body of every request
  lambdaHandler(verify, () => {}, { body: raw })

  // One hook for every handler does not take away what the platform passes to this one.
  const onRefused = (verdict: Verdict): void => console.warn(verdict.status)
  const receive = fetchHandler(verify, (_verified, _request, env: { KEY: string }) => new Response(env.KEY), {
    onRefused
  })
  expectTypeOf(receive).parameters.toEqualTypeOf<[request: Request, env: { KEY: string }]>()
}
