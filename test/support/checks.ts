import type { Context } from '../../src/core/checks/context.ts'
import { parseFields } from '../../src/core/http/fields.ts'
import { type Settings, validateOptions } from '../../src/core/options/options.ts'
import type { SchemeRules } from '../../src/core/standards/scheme.ts'
import { draftCavage, type ReceivedRequest, type VerifierOptions } from '../../src/index.ts'
import { service } from './service.ts'
import { OPTIONS } from './verdicts.ts'

/** Returns the settings of a receiver of the test service. */
export const settingsWith = (options: Partial<VerifierOptions> = {}): Settings =>
  validateOptions({ ...OPTIONS, ...options })

/** Returns the input of the checks for a request of the test service, with these changes. */
export function contextWith(change: Partial<Context>, requestChange: Partial<ReceivedRequest> = {}): Context {
  const request = { ...service.sign(), ...requestChange }
  const fields = parseFields(request.headers)
  if (!fields.ok) throw new Error(fields.message)
  const scheme = draftCavage as SchemeRules
  const settings = settingsWith()
  const signature = scheme.parseSignature(fields.value, settings)
  const time = scheme.parseTime(fields.value, signature)
  return { request, fields: fields.value, scheme, signature, time, settings, now: Date.now(), ...change }
}
