/**
 * A verifier by draft-cavage-http-signatures-12, RFC 3230 and RFC 6376 that shares no code with `src/`: plain, slow, and
 * short enough to be checked against the documents by reading. It says whether a request may be accepted.
 */
import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

type Lines = readonly (readonly [name: string, value: string])[]
type Head = { method: string; target: string; headers: Lines }
export type ReferenceRequest = Head & { body: Uint8Array; https: boolean }

type Lists = Record<'hosts' | 'accounts' | 'algorithms', readonly string[]>
/** `txt` gives the texts of the TXT records at a name. */
type Lookup = { txt(name: string): readonly string[] }
export type ReferenceOptions = Lists & Lookup & { serviceDomain: string; nowSeconds: number }

/** As parsed; the signature is in base64. */
export type Parameters = { keyId: string; headers: string[]; signature: string } & Optional
type Optional = { algorithm?: string; created?: number; expires?: number }

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
/** RFC 9110 sections 5.6.2 and 5.6.4: token, "=", and a quoted-string or a token; a comma follows. */
const QUOTED = '"((?:[\\t !#-\\[\\]-~\\x80-\\uffff]|\\\\[\\t -~\\x80-\\uffff])*)"'
const IS_TOKEN = new RegExp(`^${TOKEN}$`)
const PARAMETER = new RegExp(`^(${TOKEN})=(?:${QUOTED}|(${TOKEN}))[ \\t]*,[ \\t]*`)

/** Draft sections 2.1 and 4.1; undefined when the header is not well formed. */
export function parseSignature(header: string): Parameters | undefined {
  const found = new Map<string, { quoted?: string; bare?: string }>()
  for (let rest = `${header},`; rest !== ''; ) {
    const [whole, name = '', quoted, bare] = PARAMETER.exec(rest) ?? []
    if (whole === undefined || found.has(name) || found.size === 100) return undefined
    found.set(name, { ...(quoted !== undefined && { quoted }), ...(bare !== undefined && { bare }) })
    rest = rest.slice(whole.length)
  }
  const strings = ['keyId', 'algorithm', 'headers', 'signature']
  if (strings.some(name => found.get(name)?.bare !== undefined)) return undefined
  const times = ['created', 'expires'].map(name => found.get(name))
  if (times.some(time => time && !/^(?:0|[1-9]\d{0,14})$/.test(time.bare ?? ''))) return undefined
  const [keyId, algorithm, list = '(created)', signature] = strings.map(name => found.get(name)?.quoted)
  if (keyId === undefined || signature === undefined || !isBase64(signature)) return undefined
  const isList = new RegExp(`^(?:(?:\\((?:request-target|created|expires)\\)|${TOKEN})(?: (?=\\S)|$))+$`, 'i')
  if (!isList.test(list) || /[^ -~]/.test(list) || list.split(' ').length > 100) return undefined
  const [created, expires] = times.map(time => time && Number(time.bare))
  const optional = Object.entries({ algorithm, created, expires }).filter(([, value]) => value !== undefined)
  return { keyId, ...Object.fromEntries(optional), headers: list.toLowerCase().split(' '), signature }
}

/** RFC 4648 section 3.5: the one way to write these bytes. */
const isBase64 = (x: string) => x !== '' && Buffer.from(x, 'base64').toString('base64') === x

/** The values of a field, without outer white space (RFC 9110 section 5.5). */
const valuesOf = (request: Head, name: string): string[] =>
  request.headers
    .filter(([header]) => header.toLowerCase() === name)
    .map(([, value]) => value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''))

/** Draft section 2.3; undefined when a part of it is not there. */
export function signingString(request: Head, parameters: Parameters): string | undefined {
  const lines = parameters.headers.map(name => {
    if (name === '(request-target)') return `${name}: ${request.method.toLowerCase()} ${request.target}`
    const isTime = name === '(created)' || name === '(expires)'
    const time = parameters[name.slice(1, -1) as 'created' | 'expires']
    const values = isTime ? [time ?? []].flat() : valuesOf(request, name)
    return values.length === 0 ? undefined : `${name}: ${values.join(', ')}`
  })
  return lines.includes(undefined) ? undefined : lines.join('\n')
}

/** Undefined when the request may be accepted, else a word on why not. */
export function refusal(request: ReferenceRequest, options: ReferenceOptions): string | undefined {
  const names = [request.method, ...request.headers.map(([name]) => name)]
  const isBroken = [request.target, ...request.headers.flat()].some(text => /[\r\n\0]/.test(text))
  if (isBroken || request.headers.length > 500 || !names.every(name => IS_TOKEN.test(name))) return 'request'
  if (!request.https) return 'https'
  const one = (name: string) => (valuesOf(request, name).length === 1 ? valuesOf(request, name)[0]! : '')
  const isRecent = (seconds: number) => Math.abs(seconds - options.nowSeconds) <= 300
  // Date.parse reads the forms of RFC 9110 section 5.6.7, and more; asctime-date has no zone.
  const date = one('date').replace(/(\d\d:\d\d:\d\d) (\d{4})$/, '$2 $1 GMT')
  if (!isRecent(Date.parse(date) / 1000)) return 'date'
  if (!options.hosts.includes(one('host').toLowerCase().replace(/:443$/, ''))) return 'host'
  if (!options.accounts.some(id => one('x-service-id') === `account-${id}`)) return 'account'

  const parameters = parseSignature(one('signature'))
  if (parameters === undefined) return 'signature-header'
  const { keyId, headers, created, expires, algorithm: named } = parameters
  if (created !== undefined && !isRecent(created)) return 'created'
  if (expires !== undefined && expires + 300 < options.nowSeconds) return 'expires'
  const isTimed = headers.includes('(created)') || headers.includes('(expires)')
  if (isTimed && /^(?:rsa|hmac|ecdsa)/i.test(named ?? '')) return 'covered times'
  const five = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const isWhole = five.every(name => headers.includes(name))
  if (!isWhole || new Set(headers).size < headers.length) return 'coverage'
  const text = signingString(request, parameters)
  if (text === undefined || /[^\0-\xff]/.test(text)) return 'signing string'

  const name = keyId.toLowerCase().replace(/\.$/, '')
  const isName = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name) && !/[^!-~]/.test(keyId)
  if (!isName || !name.endsWith(`.${options.serviceDomain}`)) return 'key-name'
  const isSigned = options.txt(name).some(record => {
    const key = keyOf(record)
    const algorithm = named?.toLowerCase() ?? (key?.type === 'rsa' ? 'rsa-sha256' : 'ed25519')
    if (key === undefined || !options.algorithms.includes(algorithm)) return false
    return verifies(Buffer.from(text, 'latin1'), Buffer.from(parameters.signature, 'base64'), algorithm, key)
  })
  if (!isSigned) return 'signature'

  // RFC 3230 section 4.3.2, RFC 5843: at least one of the two, and each that is there.
  const digests = valuesOf(request, 'digest').join(',').split(',')
  const known = digests.flatMap(each => [...each.matchAll(/^[ \t]*sha-(256|512)=(.*?)[ \t]*$/gi)])
  const hash = (bits = '') => createHash(`sha${bits}`).update(request.body).digest('base64')
  return known.length > 0 && known.every(([, bits, value]) => hash(bits) === value) ? undefined : 'digest'
}

const ED25519_SPKI = '302a300506032b6570032100'
type Key = { type: string; hashes: string[] | undefined; key: KeyObject }

/** RFC 6376 section 3.6.1, RFC 8301, RFC 8463 section 4. */
function keyOf(record: string): Key | undefined {
  const tags = new Map<string, string>()
  for (const tag of record.replace(/;[ \t\r\n]*$/, '').split(';')) {
    const [, name, value] = /^\s*([A-Za-z]\w*)\s*=\s*(.*?)\s*$/s.exec(tag) ?? []
    if (name === undefined || value === undefined || tags.has(name)) return undefined
    tags.set(name, value)
  }
  const list = (name: string) => tags.get(name)?.split(/\s*:\s*/)
  const [type, services] = [tags.get('k') ?? 'rsa', list('s') ?? ['*']]
  const p = tags.get('p')?.replace(/\s+/g, '') ?? ''
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1' || list('t')?.includes('y') || !isBase64(p)) return undefined
  if (!services.includes('*') && !services.includes('email')) return undefined
  const bytes = Buffer.from(p, 'base64')
  try {
    const der = type === 'rsa' ? bytes : Buffer.concat([Buffer.from(ED25519_SPKI, 'hex'), bytes])
    const form = der[der[1]! - 0x7e] === 0x02 ? 'pkcs1' : 'spki'
    const key = createPublicKey({ key: der, format: 'der', type: form })
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 1024
    return key.asymmetricKeyType === type && bits >= 1024 ? { type, hashes: list('h'), key } : undefined
  } catch {
    return undefined
  }
}

/** Draft section 2.1.3; `hs2019` takes its computation from the key. */
function verifies(data: Buffer, signature: Buffer, algorithm: string, { type, hashes, key }: Key): boolean {
  const name = algorithm === 'hs2019' && type === 'ed25519' ? 'ed25519' : algorithm
  const digest = { 'rsa-sha256': 'sha256', 'rsa-sha512': 'sha512', hs2019: 'sha512', ed25519: null }[name]
  const isFit = digest !== undefined && (digest === null) === (type === 'ed25519')
  if (!isFit || hashes?.includes(digest ?? 'sha256') === false) return false
  const padding = name === 'hs2019' ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  return verify(digest, data, digest === null ? key : { key, padding }, signature)
}
