import { type CheckName, CODES, type Code } from '../../core/result/codes.ts'
import { accountCauses, accountFacts } from './account.ts'
import { coverageCauses, coverageFacts } from './coverage.ts'
import { dateCauses, dateFacts } from './date.ts'
import { digestCauses, digestFacts } from './digest.ts'
import { hostCauses, hostFacts } from './host.ts'
import { keyCauses, keyFacts } from './key.ts'
import { keyNameCauses, keyNameFacts } from './key-name.ts'
import { replayCauses, replayFacts } from './replay.ts'
import { requestCauses, requestFacts } from './request.ts'
import type { Causes, CausesOf, Facts, FactsOf } from './row.ts'
import { signatureCauses, signatureFacts } from './signature.ts'
import { signatureHeaderCauses, signatureHeaderFacts } from './signature-header.ts'

// These are functions: a bundler leaves all rows out where nothing is diagnosed.
const ROWS: { readonly [N in CheckName]: readonly [causes: () => CausesOf<N>, facts: () => FactsOf<N>] } = {
  request: [requestCauses, requestFacts],
  https: [requestCauses, requestFacts],
  date: [dateCauses, dateFacts],
  host: [hostCauses, hostFacts],
  account: [accountCauses, accountFacts],
  'signature-header': [signatureHeaderCauses, signatureHeaderFacts],
  coverage: [coverageCauses, coverageFacts],
  'key-name': [keyNameCauses, keyNameFacts],
  key: [keyCauses, keyFacts],
  signature: [signatureCauses, signatureFacts],
  digest: [digestCauses, digestFacts],
  replay: [replayCauses, replayFacts]
}

/** Returns the causes and fixes of a code. A code without causes does not compile. */
export function causesOf<C extends Code>(code: C): Causes<C> {
  const causes: { readonly [D in Code]?: Causes<D> } = ROWS[CODES[code].check][0]()
  return causes[code]!
}

/** Returns the facts that a reader is shown of the evidence. A code that has evidence and no facts does not compile. */
export function factsOf<C extends Code>(code: C): Facts<C> | undefined {
  const facts: { readonly [D in Code]?: Facts<D> } = ROWS[CODES[code].check][1]()
  return facts[code]
}
