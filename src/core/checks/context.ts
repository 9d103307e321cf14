import type { Fields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { Settings } from '../options/options.ts'
import type { NotRun, Result } from '../result/result.ts'
import type { ParsedSignature, SchemeRules, StatedTime } from '../standards/scheme.ts'

/** The input of the checks of one request: the request, its parsed parts, and the receiver's settings. */
export interface Context {
  readonly request: ReceivedRequest
  readonly fields: Fields
  readonly scheme: SchemeRules
  readonly signature: Result<ParsedSignature>
  readonly time: Result<StatedTime> | NotRun
  readonly settings: Settings
}
