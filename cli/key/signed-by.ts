import { SCHEMES } from '../../flags/schemes.ts'
import { type KeyLimits, type Result, type SchemeName, verifySignature } from '../../src/index.ts'
import {
  checkRequest,
  escapeText,
  inMaking,
  normalizeName,
  openSignature,
  parseKey,
  SCHEME_ALGORITHMS,
  type SchemeRules
} from '../../src/internal/index.ts'
import type { Entry } from '../captures/capture.ts'

/** The signature of a captured request, ready to be tried. `keyId` and `algorithm` come from outside: escape them. */
export interface SignedRequest {
  readonly keyId: string
  /** as the request names it */
  readonly algorithm: string | undefined
  readonly scheme: SchemeName
  readonly signingString: string
  readonly signature: Uint8Array
}

/**
 * Parses the signature by the one standard by which it can be read, and builds the signing string. Of several
 * signatures by RFC 9421, it takes the one whose key is beside `name`.
 */
export function parseSigned({ request }: Entry, name: string): Result<SignedRequest> {
  const checked = checkRequest(request)
  if (!checked.ok) return checked
  const fields = checked.value
  const serviceDomain = name.slice(name.indexOf('.') + 1)
  const parse = (scheme: SchemeName): Result<SignedRequest> => {
    const rules = SCHEMES[scheme] as SchemeRules
    const parsed = rules.parseSignature(fields, { serviceDomain })
    if (!parsed.ok) return parsed
    const built = rules.buildSigningString(request, fields, parsed.value)
    if (!built.ok) return built
    const { keyId, algorithm, signature } = parsed.value
    return { ok: true, value: { keyId, algorithm, scheme, signingString: built.value, signature } }
  }
  const draft = parse('draft-cavage')
  return draft.ok || !fields.values.has('signature-input') ? draft : parse('rfc9421')
}

/** A record, its strings joined, and who has it. Both come from outside: escape them. */
export interface FoundRecord {
  readonly text: string
  /** its name for a person: `record 1`, or its owner */
  readonly label: string
}

/**
 * The record that made the signature, and the meaning of that, as printable ASCII. The rest comes from outside: escape
 * it.
 */
export interface RequestReport {
  /** `undecided`: the signature cannot be read, or not everything was tried */
  readonly outcome: 'made' | 'none' | 'undecided'
  readonly text: string
  readonly keyId?: string
  readonly record?: string
  /** with which the signature verifies */
  readonly algorithm?: string
  /** whether the key of `record` made the signature, over whatever text */
  readonly madeByKey?: true
}

const FORMS = {
  hexadecimal: 'which is written in hexadecimal, and base64 is expected',
  'base64-twice': 'which is encoded in base64 twice'
} as const

/** Limits the records that are tried to more than any name has: a hostile zone may list thousands. */
const MAX_TRIED = 64

/**
 * Tries each record that can be used, with each algorithm of the standard: the request may name another one.
 *
 * @param name at which the records were found
 * @param error why it is not known whether the receiver's DNS server has records
 * @param where the keys are, for a person: `of one.example`; empty for the only name
 */
export function findSigner(
  signed: Result<SignedRequest>,
  name: string,
  found: readonly FoundRecord[],
  limits: KeyLimits,
  error: string | undefined,
  where = ''
): RequestReport {
  if (!signed.ok) return undecided(`its signature cannot be checked (${signed.code}: ${signed.message})`)
  const { keyId, scheme, signingString, signature, algorithm: named = '' } = signed.value
  const isOther = normalizeName(keyId) !== name
  const other = isOther ? ` The request names another key: ${escapeText(keyId)}.` : ''
  const algorithms = [named.toLowerCase(), ...SCHEME_ALGORITHMS[scheme]]
  const usable = found.slice(0, MAX_TRIED).flatMap(record => {
    const key = parseKey(record.text, limits)
    return key.ok ? [{ ...record, key: key.value.key }] : []
  })
  for (const { label, text: record, key } of usable) {
    const algorithm = algorithms.find(each => verifySignature(signingString, signature, key, each))
    if (algorithm === undefined) continue
    const how = named !== '' && algorithm !== algorithms[0] ? `, although the request names ${escapeText(named)}` : ''
    const text = `The request was signed with the key of ${escapeText(label)} (${algorithm}${how}).${other}`
    return { outcome: 'made', text, keyId, record, algorithm, madeByKey: true }
  }
  for (const { label, text: record } of usable) {
    const opened = openedBy(record, signature, algorithms)
    if (opened?.isByKey !== true) continue
    const isThisText = opened.wasSigned(signingString)
    const otherwise = `${inMaking(opened.made!)}, although the request names ${escapeText(named) || 'no algorithm'}`
    const how = [
      ...(opened.form === undefined ? [] : [FORMS[opened.form]]),
      ...(opened.isOtherwiseMade ? [otherwise] : [])
    ].join('; ')
    const text = isThisText
      ? `The request was signed with the key of ${escapeText(label)} (${how}).${other}`
      : `The key of ${escapeText(label)} made this signature, but over another text: the request was changed on the ` +
        `way (explain FILE looks for the change).${other}`
    return { outcome: isThisText ? 'made' : 'none', text, keyId, record, madeByKey: true }
  }
  if (found.length > MAX_TRIED) return undecided(`there are more than ${MAX_TRIED} records`)
  if (usable.length === 0 && error !== undefined) return undecided(`no record was found: ${escapeText(error)}`)
  const none = `None of the keys ${where || 'here'} signed the request: `
  const good =
    usable.length === 0
      ? 'no record can be used'
      : `the ${usable.length === 1 ? 'record is' : 'records are'} good, and this request was signed with another key ` +
        'or changed on the way (explain FILE looks for the change)'
  return { outcome: 'none', text: `${none}${good}.${other}`, keyId }
}

/** Opens the signature with this key, by the first algorithm that fits the type of the key. */
function openedBy(record: string, signature: Uint8Array, algorithms: readonly string[]) {
  const encoded = Buffer.from(signature).toString('base64')
  for (const algorithm of algorithms) {
    const opened = openSignature({ record, signature: encoded, algorithm })
    if (opened !== undefined) return opened
  }
  return undefined
}

const undecided = (reason: string): RequestReport => ({
  outcome: 'undecided',
  text: `Which key signed the request is not known: ${reason}.`
})
