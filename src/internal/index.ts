/**
 * Exports what the tools of this repository (`cli/`, `flags/`, `gateway/`) use besides the public entries. It is
 * not an entry of the package. Each group says why it is here; a name that receivers would use, too, belongs in a
 * public entry instead.
 */

// Flags are options of the library under other names, with its defaults and rules, and its messages about them.

export {
  isHost,
  isLoopback,
  isPathPrefix,
  normalizeHost,
  normalizeName,
  restorePathPrefix,
  splitAbsoluteUrl
} from '../core/http/uri.ts'
export { DEFAULTS, validateOnly, validateOptions } from '../core/options/options.ts'
export { validateAccounts } from '../core/options/values.ts'
export * from './command-line.ts'

// `explain FILE` and `send --request` read captures, which need not be well-formed requests: they use the steps before
// a verifier, one by one.

export { checkRequest } from '../core/checks/request.ts'
export { base64Digest } from '../core/http/digest.ts'
export {
  type Fields,
  isSameList,
  isToken,
  lineValues,
  MAX_HEADER_LINES,
  TOKEN_CHARACTERS,
  trimWhiteSpace
} from '../core/http/fields.ts'
export type { HeaderLine } from '../core/http/request.ts'
export { isObject, isText, type JsonObject, objectOr } from '../core/json-shape.ts'
export { findDecompression } from '../explain/body/decompression.ts'
export { decodeBody, NOT_IN_THE_CAPTURE, optionsOfVector, requestOfVector } from '../fixture/setup.ts'
export { isVerdict, wrongMember } from '../fixture/validate.ts'
export { type AdapterRequest, prepareProxy } from '../platforms/proxy.ts'

// `explain FILE` searches longer than a receiver may, and adds causes that only a capture has.

export type { AddedCauses, ConditionalCause, Known } from '../explain/causes/entry.ts'
export { PATIENT_SEARCH_COST } from '../explain/changed-line.ts'
export { diagnoseWithin, type Undecided } from '../explain/diagnose.ts'
export { explainDiagnosis, LABELS } from '../explain/explain.ts'

// `explain CODE` and the pages print what the entries say; the gateway logs the fix of its own codes.

export { GATEWAY_CODES, type GatewayCode, gatewayEntryOf, withoutMarks } from '../explain/gateway-codes.ts'

// `send`, `probe` and the gateway find causes as an explanation does. A CDN that answers names itself.

export { CDN_HEADERS } from '../core/http/cdn.ts'
export { type Cause, findCause, withFinding } from '../explain/cause.ts'

// Commands print as an explanation does: escaped, wrapped, in the same words.

export { CHECK_NAMES, CODES, isUnavailable } from '../core/result/codes.ts'
export { errorLabel } from '../core/result/result.ts'
export { factsOn, listCauses } from '../explain/advice.ts'
export { entryOf } from '../explain/causes/causes.ts'
export { compareWithClock, ERRORS, type FactId, factText, inWords, THIS_CLOCK } from '../explain/facts.ts'
export {
  asciiJson,
  aside,
  duration,
  type Line,
  plural,
  TONES,
  type Tone,
  withTone,
  wrapExact
} from '../explain/text.ts'

// `key` asks name servers itself, and says of each record what a receiver would say of it; with `--request`, it tries a
// signature with each of them.

export { parseKey } from '../core/key/cache.ts'
export { createLookup } from '../core/key/lookup.ts'
export { joinStrings, looksLikeKeyRecord, MAX_RECORD_LENGTH } from '../core/key/record.ts'
export type { TxtAnswer } from '../core/key/types.ts'
export { SCHEME_ALGORITHMS } from '../core/signature/algorithms.ts'
export type { SchemeRules } from '../core/standards/scheme.ts'
export { badReply, decodeReply, encodeMessage, lowerCase, MAX_OCTETS } from '../doh/message.ts'
export {
  correctRecord,
  findProblem,
  hidePrivateKeys,
  holdsPrivateKey,
  isRecordCode,
  type RecordProblem,
  recordTexts
} from '../explain/record-mistakes.ts'

// `explain DIR` reads the files of a recorder, and asks who made a signature that does not verify.

export { inMaking } from '../explain/causes/signature.ts'
export { madeByKey, openSignature } from '../explain/opened-signature.ts'
export { parseRecordedName, timeInName } from '../recorder/file-names.ts'

// The gateway's page keeps each request with a recorder, in the store of a recorder.

export type { RefusedRequest } from '../core/verdict/refused-request.ts'
export { createStore } from '../recorder/store.ts'

// `account --field` selects a field of an answer, which is not trusted.

export { ownProperty } from '../account/request.ts'

// `send` and `demo` sign with keys from files, and count who asks for the key.

export { type CountingDnsServer, startDnsServer } from '../testing/dns-server.ts'
export { createSigningKey, type SigningKey, signRequest } from '../testing/sign.ts'

// `send` and the gateway pass headers on, and both print command lines for a shell.

export { HOP_BY_HOP } from './hop-by-hop.ts'
export { quote } from './shell.ts'

// The gateway remembers what it has made of equal heads, as the library does.

export { memoizeRecent } from '../core/memo.ts'

// The gateway says of a request what the library says of it.

export { isSignedUnderDomain, visibleText } from '../core/verdict/log-record.ts'
export { situationOf } from '../core/verdict/main-failure.ts'

// The gateway joins the chunks of a body as the library does, before and after it asks the library, and counts what the
// library holds. It queues pipelined requests, and refuses a request, as `nodeHandler` does.

export { announcedLength, collectChunks, mostHeld } from '../core/body/chunks.ts'
export { type ArrivingBody, TAKE_ARRIVED } from '../core/body/read.ts'
export { mergeSmallChunks } from '../platforms/node/chunks.ts'
export { answerWhenDrained, DRAIN_LIMITS, emptyBodyHeaders } from '../platforms/node/drain.ts'
export { waitForTurn } from '../platforms/node/pipelining.ts'
export { readNodeRequest } from '../platforms/node/request.ts'
export { challengeOf, refusalHeaders } from '../platforms/refusal.ts'
