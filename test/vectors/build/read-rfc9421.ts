import type { VectorParameters } from '../vector-form.ts'

/**
 * A reader of Signature-Input and Signature that shares nothing with `src/`, nor with its parser of structured fields.
 * It reads what is well formed (RFC 9421 sections 4.1 and 4.2, RFC 9651); what is not, it need not refuse.
 */

const STRING = '"(?:[^"\\\\]|\\\\.)*"'
const KEY = '[a-z*][a-z0-9_.*-]*'
const BARE_ITEM = `${STRING}|:[A-Za-z0-9+/=]*:|\\?[01]|[^;,() "]+`
const PARAMETERS = `(?:; *${KEY}(?:=(?:${BARE_ITEM}))?)*`
const MEMBER = new RegExp(`(${KEY})=\\(((?: *${STRING}${PARAMETERS})* *)\\)(${PARAMETERS})`, 'gy')
const COMPONENT = new RegExp(`(${STRING})(${PARAMETERS})`, 'g')
const PARAMETER = new RegExp(`; *(${KEY})(?:=(${BARE_ITEM}))?`, 'g')

/** What each signature of a request says, by label. */
export function readParameters(signatureInput: string, signature: string): VectorParameters[] {
  const members: VectorParameters[] = []
  let rest = signatureInput.replace(/^[ \t]+|[ \t]+$/g, '')
  while (rest !== '') {
    MEMBER.lastIndex = 0
    const [whole, label, components, parameters] = MEMBER.exec(rest) ?? []
    if (whole === undefined) throw new Error(`this is not a member of Signature-Input: ${rest}`)
    members.push(readMember(label!, components!, parameters!, signature))
    rest = rest.slice(whole.length).replace(/^[ \t]*,[ \t]*/, '')
  }
  return members
}

function readMember(label: string, components: string, parameters: string, signature: string): VectorParameters {
  const given = new Map(pairsIn(parameters))
  const text = (name: string) => given.get(name)?.slice(1, -1).replace(/\\(.)/g, '$1')
  const time = (name: string) => (given.has(name) ? Number(given.get(name)) : undefined)
  const [, bytes] = new RegExp(`(?:^|,)[ \\t]*${label}=:([^:]*):`).exec(signature) ?? []
  const known = {
    keyId: text('keyid'),
    algorithm: text('alg'),
    created: time('created'),
    expires: time('expires'),
    nonce: text('nonce')
  }
  return {
    label,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    headers: [...components.matchAll(COMPONENT)].map(([, name, own]) => componentName(name!, own!)),
    ...(bytes !== undefined && { signature: bytes })
  }
}

/** The parameters in the order of their names: theirs is no part of a component's identity (section 2). */
function componentName(name: string, parameters: string): string {
  const sorted = pairsIn(parameters).sort(([one], [other]) => (one < other ? -1 : 1))
  return [name.slice(1, -1), ...sorted.map(([key, value]) => (value === '' ? key : `${key}=${value}`))].join(';')
}

const pairsIn = (text: string): [string, string][] =>
  [...text.matchAll(PARAMETER)].map(([, name, value]) => [name!, value ?? ''])
