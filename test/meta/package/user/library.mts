// The declarations of this library expose values of the package without naming a type: the compiler must find one.
import * as signed from 'signed-requests'
import { createAccountClient } from 'signed-requests/account'
import { dohTxtLookup } from 'signed-requests/doh'
import { memoryReplayStore, sqliteReplayStore } from 'signed-requests/replay'
import { parseContentDigest, parseSignatureInput, rfc9421 } from 'signed-requests/rfc9421'
import { captureFixture, createTestService, serveDns } from 'signed-requests/testing'

export const service = createTestService()
export const { lookupTxt, options, records } = service
export const signedRequest = service.sign({ body: '{"id":1}' })
export const dns = serveDns(service)

export const doh = dohTxtLookup({ url: 'https://dns.example/dns-query' })
export const plainDns = signed.dnsTxtLookup()
export const store = memoryReplayStore()
export const sqlite = (database: Parameters<typeof sqliteReplayStore>[0]) => sqliteReplayStore(database)
export const account = createAccountClient({ authUrl: '', baseUrl: '', accessToken: '' })

export const schemes = [signed.draftCavage, rfc9421]
export const digests = parseContentDigest('')
export const inputs = parseSignatureInput('')
export const parameters = signed.parseSignatureHeader('')
export const record = signed.parseKeyRecord('')
export const typeOf = (key: signed.PublicKey) => key.type
export const limitsOf = (limits: signed.KeyLimits) => ({ ...limits })

export const verify = signed.createVerifier(service.options)
export const verdict = verify(signedRequest)
export const stagesOf = (message: signed.VerdictMessage) => message.stages
export const failuresOf = ({ failures }: signed.Rejected) => failures
export const unavailableOf = ({ failures: [first] }: signed.Unavailable) => first
export const evidenceOf = (failure: signed.Failure) => failure.evidence
export const checksOf = ({ checks }: signed.Verdict) => ({ ...checks, key: checks.key })
export const fixture = async () => captureFixture(signedRequest, await verdict, { options: service.options })
export const diagnosis = async () => signed.diagnose(await verdict)
export const logged = async () => signed.logRecord(await verdict)

export const node = signed.nodeHandler(verify, () => {})
export const fetched = signed.fetchHandler(verify, () => new Response(null))
export const lambda = signed.lambdaHandler(verify, () => {})
export const eventHeaders = (event: signed.LambdaEvent) => event.headers
export const forwardedOf = (request: signed.ReceivedRequest) => request.forwarded
export const linesOf = (request: signed.ReceivedRequest) => request.headers
export const settings = (given: signed.DiagnoseOptions) => given.settings
