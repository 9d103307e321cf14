import type { Code } from '../../result/codes.ts'
import type { EvidenceByCode } from '../../result/evidence.ts'
import { accountCauses, accountFacts } from './account.ts'
import { coverageCauses, coverageFacts } from './coverage.ts'
import { dateCauses, dateFacts } from './date.ts'
import { digestCauses, digestFacts } from './digest.ts'
import { hostCauses, hostFacts } from './host.ts'
import { keyCauses, keyFacts } from './key.ts'
import { keyNameCauses, keyNameFacts } from './key-name.ts'
import { replayCauses, replayFacts } from './replay.ts'
import { requestCauses, requestFacts } from './request.ts'
import type { Causes, Facts } from './row.ts'
import { signatureCauses, signatureFacts } from './signature.ts'
import { signatureHeaderCauses, signatureHeaderFacts } from './signature-header.ts'

type AllCauses = { readonly [C in Code]: Causes<C> }
type AllFacts = { readonly [C in Code]?: Facts<C> }

// The first diagnosis makes these constants: a bundler leaves all of them out where nothing is diagnosed.
let causes: AllCauses | undefined
let facts: AllFacts | undefined

/** Returns the causes and fixes of every code. A code without causes does not compile. */
export const allCauses = (): AllCauses => {
  causes ??= {
    ...requestCauses(),
    ...dateCauses(),
    ...hostCauses(),
    ...accountCauses(),
    ...signatureHeaderCauses(),
    ...coverageCauses(),
    ...keyNameCauses(),
    ...keyCauses(),
    ...signatureCauses(),
    ...digestCauses(),
    ...replayCauses()
  }
  return causes
}

/** Returns the facts that a reader is shown of the evidence. A code that has evidence and no facts does not compile. */
export const allFacts = (): AllFacts => {
  facts ??= {
    ...requestFacts(),
    ...dateFacts(),
    ...hostFacts(),
    ...accountFacts(),
    ...signatureHeaderFacts(),
    ...coverageFacts(),
    ...keyNameFacts(),
    ...keyFacts(),
    ...signatureFacts(),
    ...digestFacts(),
    ...replayFacts()
  } satisfies { readonly [C in keyof EvidenceByCode]: Facts<C> }
  return facts
}
