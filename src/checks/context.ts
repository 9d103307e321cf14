import type { Fields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { Settings } from '../options/options.ts'
import type { NotRun, Result } from '../result/result.ts'
import type { ParsedSignature, SchemeRules, StatedTime } from '../standards/scheme.ts'

/** What the checks of one request are given: the request, what was parsed of it, and what the receiver expects. */
export interface Context {
  readonly request: ReceivedRequest
  readonly fields: Fields
  readonly scheme: SchemeRules
  readonly signature: Result<ParsedSignature>
  readonly time: Result<StatedTime> | NotRun
  readonly settings: Settings
}
