import { parseSignatureHeader } from '../draft-cavage/signature-header.ts'
import { lineValues } from '../http/fields.ts'
import type { VerifierOptions } from '../options/options.ts'
import { parseSignatureInput } from '../rfc9421/signature-input.ts'
import type { Code } from '../verdict/codes.ts'
import type { EvidenceOf } from '../verdict/evidence.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { VectorJson, VectorOptions } from './vector-form.ts'

export type HeaderLines = readonly (readonly [name: string, value: string])[]

/** Options that are plain data, whatever they are set to. */
const PLAIN = [
  'accountPrefix',
  'requireHttps',
  'dateTolerance',
  'algorithms',
  'alsoCovered',
  'minRsaBits',
  'maxRsaBits',
  'maxBodyBytes'
] as const

/** Used for an option that is not known and did not decide. */
const UNKNOWN = { serviceDomain: 'service.example', hosts: ['receiver.example'], accounts: ['unknown'] }

/** The options a fixture needs to be judged like the request: as given, or as the request and the verdict show them. */
export function optionsFor(
  given: Partial<VerifierOptions>,
  headers: HeaderLines,
  verdict: Verdict
): Pick<VectorJson, 'options' | 'accountsError' | 'replayStore'> {
  const plain: Partial<VectorOptions> = {}
  if (verdict.status === 'verified' && verdict.scheme !== 'draft-cavage') plain.schemes = [verdict.scheme]
  if (given.schemes !== undefined) plain.schemes = given.schemes.map(({ name }) => name)
  for (const name of PLAIN) Object.assign(plain, given[name] !== undefined && { [name]: given[name] })

  const accountHeader = given.accountHeader ?? accountHeaderIn(verdict)
  const { account } = verdict.checks
  const replayStore = replayStoreOf(verdict)
  return {
    options: {
      serviceDomain: given.serviceDomain ?? serviceDomainIn(headers, verdict),
      hosts: given.hosts === undefined ? hostsIn(headers, verdict) : [given.hosts].flat(),
      accounts: accountsOf(
        given,
        lineValues(headers, accountHeader?.toLowerCase() ?? 'x-service-id'),
        verdict
      ),
      ...(accountHeader !== undefined && { accountHeader }),
      ...plain
    },
    ...(account.outcome === 'unavailable' && { accountsError: true }),
    ...(replayStore !== undefined && { replayStore })
  }
}

/** The evidence of a failure, if the verdict has that failure. */
export function evidenceIn<C extends Code>(verdict: Verdict, code: C): EvidenceOf<C> | undefined {
  if (verdict.status === 'verified') return undefined
  return verdict.failures.find(failure => failure.code === code)?.evidence as EvidenceOf<C> | undefined
}

/** The key ids and covered names of the signatures, of either standard, as far as they can be parsed. */
export function signaturesIn(
  headers: HeaderLines
): { keyId: string | undefined; covered: readonly string[] }[] {
  const signature = parseSignatureHeader(lineValues(headers, 'signature').join(', '))
  if (signature.ok) return [{ keyId: signature.value.keyId, covered: signature.value.headers }]
  const inputs = parseSignatureInput(lineValues(headers, 'signature-input').join(', '))
  return !inputs.ok
    ? []
    : inputs.value.map(({ keyId, components }) => ({ keyId, covered: components.map(({ name }) => name) }))
}

function serviceDomainIn(headers: HeaderLines, verdict: Verdict): string {
  const domain = evidenceIn(verdict, 'key-name-outside-domain')?.domain
  if (domain !== undefined) return domain
  const keyId = verdict.checks['key-name'].outcome === 'pass' ? signaturesIn(headers)[0]?.keyId : undefined
  return keyId?.replace(/^.*?\._domainkey\.|^[^.]*\./i, '') ?? UNKNOWN.serviceDomain
}

function hostsIn(headers: HeaderLines, verdict: Verdict): readonly string[] {
  if (verdict.checks.host.outcome === 'pass') return lineValues(headers, 'host')
  const evidence = evidenceIn(verdict, 'host-mismatch') ?? evidenceIn(verdict, 'host-missing')
  return evidence?.expected ?? UNKNOWN.hosts
}

const accountHeaderIn = (verdict: Verdict): string | undefined =>
  (
    evidenceIn(verdict, 'account-missing') ??
    evidenceIn(verdict, 'account-repeated') ??
    evidenceIn(verdict, 'account-malformed') ??
    evidenceIn(verdict, 'account-mismatch')
  )?.header

/** A function that decided is replaced by the ids it accepted. */
function accountsOf(
  { accounts, accountPrefix = 'account-' }: Partial<VerifierOptions>,
  values: readonly string[],
  verdict: Verdict
): readonly string[] {
  if (accounts !== undefined && typeof accounts !== 'function') return [accounts].flat()
  if (verdict.status === 'verified') return [verdict.accountId]
  const passed = verdict.checks.account.outcome === 'pass' && values.length === 1
  return passed ? [values[0]!.slice(accountPrefix.length)] : UNKNOWN.accounts
}

function replayStoreOf({ checks }: Verdict): VectorJson['replayStore'] {
  if (checks.replay.outcome === 'not-run') return undefined
  if (checks.replay.outcome === 'pass') return 'empty'
  return checks.replay.outcome === 'fail' ? 'claimed' : 'error'
}
