// This library has isolatedDeclarations: each export has a written type, from the entry that exports it.
import * as signed from 'signed-requests'
import * as account from 'signed-requests/account'
import * as doh from 'signed-requests/doh'
import * as replay from 'signed-requests/replay'
import * as rfc9421 from 'signed-requests/rfc9421'
import * as testing from 'signed-requests/testing'

export const service: testing.TestService = testing.createTestService()
export const lookupTxt: testing.LookupTxt = service.lookupTxt
export const options: testing.TestServiceVerifierOptions = service.options
export const doh1: doh.LookupTxt = doh.dohTxtLookup({ url: 'https://dns.example/dns-query' })
export const fetch1: doh.Fetch = fetch
export const fetch2: account.Fetch = fetch
export const store: replay.ReplayStore = replay.memoryReplayStore()
export const digests: rfc9421.Result<readonly rfc9421.Digest[]> = rfc9421.parseContentDigest('')
export const verify: signed.Verify = signed.createVerifier(service.options)

export function stagesOf(message: signed.VerdictMessage): signed.Stages {
  return message.stages
}
export function typeOf(key: signed.PublicKey): signed.KeyType {
  return key.type
}
export function digestsFailed(failed: rfc9421.Failed): rfc9421.Code {
  return failed.code
}
export function firstOf(verdict: testing.Verdict): testing.Failure | undefined {
  return verdict.failures[0]
}
export function unavailableOf(verdict: signed.Unavailable): signed.FailureOf<signed.UnavailableCode> {
  return verdict.failures[0]
}
export function receive(req: signed.NodeRequest, res: signed.NodeResponse): Promise<void> {
  return signed.nodeHandler<signed.NodeRequest, signed.NodeResponse>(verify, () => {})(req, res)
}
export function headersOf(event: signed.LambdaEvent): signed.LambdaRecord<string> {
  return event.headers
}

// With exactOptionalPropertyTypes, a condition chooses an option.
declare const isTest: boolean
const chosen = <T,>(value: T): T | undefined => (isTest ? value : undefined)
const proxy: signed.ProxyOptions = { https: chosen(true), host: chosen('a.example'), prefix: chosen('/hooks') }
signed.createVerifier({
  ...{ serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234' },
  lookupTxt: chosen(lookupTxt),
  replayStore: chosen(store),
  schemes: chosen([signed.draftCavage]),
  now: chosen(() => 0)
})
signed.nodeHandler(verify, () => {}, {
  ...proxy,
  body: chosen(() => ''),
  onRefused: chosen(() => {}),
  drainBytes: chosen(1)
})
signed.fetchHandler(verify, () => {}, { ...proxy, onRefused: chosen(() => {}) })
signed.lambdaHandler(verify, () => {}, { ...proxy, onRefused: chosen(() => {}) })
signed.dnsTxtLookup({ servers: chosen(['127.0.0.1']), timeout: chosen(1), tries: chosen(1) })
doh.dohTxtLookup({ url: 'https://dns.example/', fetch: chosen(fetch), requireAuthenticated: chosen(true) })
replay.memoryReplayStore({ maxEntries: chosen(1) })
account.createAccountClient({ authUrl: '', baseUrl: '', accessToken: '', fetch: chosen(fetch), timeout: chosen(1) })
service.sign({ method: chosen('POST'), body: chosen('a'), date: chosen(0) })
