import type { Code } from '../../result/codes.ts'
import { accountCauses } from './account.ts'
import { coverageCauses } from './coverage.ts'
import { dateCauses } from './date.ts'
import { digestCauses } from './digest.ts'
import { hostCauses } from './host.ts'
import { keyCauses } from './key.ts'
import { keyNameCauses } from './key-name.ts'
import { replayCauses } from './replay.ts'
import { requestCauses } from './request.ts'
import type { Causes } from './row.ts'
import { signatureCauses } from './signature.ts'
import { signatureHeaderCauses } from './signature-header.ts'

/**
 * What each failure most likely means, and what to do. A code without causes does not compile. It is a function, so
 * that a bundler leaves all of it out where nothing is diagnosed.
 */
export const allCauses = (): { readonly [C in Code]: Causes<C> } => ({
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
})
