import { createHash } from 'node:crypto'
import type { VectorBody, VectorJson, VectorOptions, VectorVerdict } from '../vector-form.ts'
import { ONE, type TestKey } from './keys.ts'
import { type Header, type Scheme, signingString, signText, type Times } from './sign.ts'

/** The moment at which every vector is judged, in seconds since 1970. */
export const NOW = '2026-11-20T12:00:00Z'
export const NOW_SECONDS = 1795176000

export const KEY_ID = 'one._domainkey.service.example'
const BODY = '{"event":"published"}'

/** What differs from the ordinary request; everything not said here is right. */
export interface Recipe {
  source?: string
  note?: string

  // the request, before it is signed
  method?: string
  target?: string
  https?: boolean
  /** text is UTF-8 */
  body?: string | Uint8Array | null
  /** headers to put in the place of the ordinary ones, or to take out */
  set?: Readonly<Record<string, string | null>>
  /** header lines to add at the end */
  add?: readonly Header[]

  // the signature
  key?: TestKey
  keyId?: string
  scheme?: Scheme
  /** as the header says it; null to leave the parameter out */
  algorithm?: string | null
  /** the list as the header says it; null to leave the parameter out */
  covered?: string | null
  /** values of created and expires */
  times?: Times
  /** what is signed, when it is not the signing string */
  signed?: (signingString: string) => string
  /** the signature, when it is not made from the signing string */
  signature?: (signingString: string) => Uint8Array
  /** what stands in the signing string for headers that are listed and not there */
  absentAs?: string
  /** the value of the Signature header */
  header?: (parameters: HeaderParts) => string

  /** what is different when it arrives */
  received?: {
    method?: string
    target?: string
    body?: string | Uint8Array | null | { error: string }
    set?: Readonly<Record<string, string | null>>
    add?: readonly Header[]
  }

  // the world around it
  /** records at the name of the key */
  records?: VectorJson['dns'][string]
  /** names besides, or instead of, the key's */
  dns?: VectorJson['dns']
  options?: Partial<VectorOptions>
  /** the receiver's clock, when it is another */
  now?: string
  accountsError?: true
  replayStore?: NonNullable<VectorJson['replayStore']>
}

export interface HeaderParts {
  keyId: string
  algorithm: string
  headers: string
  signature: string
  /** all of it, as it stands in an ordinary request */
  all: string
}

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('base64')
export const sha512 = (data: string | Uint8Array): string => createHash('sha512').update(data).digest('base64')
/** A TXT character-string holds 255 octets (RFC 1035 section 3.3.14). */
export const chunks = (record: string): string[] => record.match(/.{1,255}/gs) ?? ['']
export const txt = (...records: string[]): string[][] => records.map(chunks)

/** The list that the service's specification shows, in its own case. */
export const COVERED = '(request-target) Host Date Content-length Content-type X-Service-ID Digest X-nonce'
export const WITHOUT_BODY = '(request-target) Host Date X-Service-ID Digest X-nonce'
/** What must be covered, and no more. */
export const FIVE = '(request-target) host date x-service-id digest'

const ORDINARY_OPTIONS: VectorOptions = {
  serviceDomain: 'service.example',
  hosts: ['hooks.example.com'],
  accounts: ['1234']
}

/** Makes one vector: an ordinary signed request, but for what the recipe says. */
export function vector(name: string, verdict: VectorVerdict, recipe: Recipe = {}): VectorJson {
  const { method = 'POST', target = '/hook?id=42', https = true, body = BODY } = recipe
  const headers = withHeaders(ordinaryHeaders(body), recipe.set, recipe.add)

  const key = recipe.key ?? ONE
  const keyId = recipe.keyId ?? KEY_ID
  const algorithm = recipe.algorithm === undefined ? 'rsa-sha256' : recipe.algorithm
  const covered = recipe.covered === undefined ? (body === null ? WITHOUT_BODY : COVERED) : recipe.covered
  const { times = {} } = recipe
  const signable = withAbsent(headers, covered ?? '', recipe.absentAs)
  const string = signingString({ method, target, headers: signable }, (covered ?? '(created)').split(' '), times)
  const signature =
    recipe.signature?.(string) ?? signText(recipe.signed?.(string) ?? string, key, recipe.scheme ?? 'pkcs1-sha256')

  const parts = {
    keyId,
    algorithm: algorithm ?? '',
    headers: covered ?? '',
    signature: Buffer.from(signature).toString('base64')
  }
  const all = [
    `keyId="${keyId}"`,
    ...(algorithm === null ? [] : [`algorithm="${algorithm}"`]),
    ...Object.entries(times).map(([each, value]) => `${each}=${value}`),
    ...(covered === null ? [] : [`headers="${covered}"`]),
    `signature="${parts.signature}"`
  ].join(',')
  const signatureLine: Header = ['Signature', recipe.header?.({ ...parts, all }) ?? all]

  const { received = {} } = recipe
  return {
    name,
    ...(recipe.source !== undefined && { source: recipe.source }),
    ...(recipe.note !== undefined && { note: recipe.note }),
    request: {
      method: received.method ?? method,
      target: received.target ?? target,
      headers: withHeaders([...headers, signatureLine], received.set, received.add),
      body: bodyJson(received.body === undefined ? body : received.body),
      https
    },
    dns: recipe.dns ?? { [dnsName(keyId)]: recipe.records ?? txt(key.record) },
    options: { ...ORDINARY_OPTIONS, ...recipe.options },
    ...(recipe.accountsError && { accountsError: true }),
    ...(recipe.replayStore !== undefined && { replayStore: recipe.replayStore }),
    now: recipe.now ?? NOW,
    verdict
  }
}

function ordinaryHeaders(body: string | Uint8Array | null): Header[] {
  const bytes = Buffer.from(body ?? '')
  return [
    ['Host', 'hooks.example.com'],
    ['Date', 'Fri, 20 Nov 2026 12:00:00 GMT'],
    ...(body === null
      ? []
      : ([
          ['Content-Length', String(bytes.length)],
          ['Content-Type', 'application/json']
        ] as const)),
    ['X-Service-ID', 'account-1234'],
    ['Digest', `SHA-256=${sha256(bytes)}`],
    ['X-Nonce', '5d0e7e0c-9a1f-4a0b-8f0e-6f1c2d3b4a59']
  ]
}

/** Lines replaced (by name), taken out (null), or added. */
export function withHeaders(headers: readonly Header[], set: Recipe['set'] = {}, add: Recipe['add'] = []): Header[] {
  for (const name of Object.keys(set)) {
    if (!headers.some(([each]) => each === name)) throw new Error(`there is no ${name} to set`)
  }
  const kept = headers.flatMap(([name, value]): Header[] => {
    const replacement = Object.hasOwn(set, name) ? set[name]! : value
    return replacement === null ? [] : [[name, replacement]]
  })
  return [...kept, ...add]
}

function withAbsent(headers: readonly Header[], covered: string, as: string | undefined): readonly Header[] {
  if (as === undefined) return headers
  const there = new Set(headers.map(([name]) => name.toLowerCase()))
  const absent = covered.split(' ').filter(name => !name.startsWith('(') && !there.has(name.toLowerCase()))
  return [...headers, ...absent.map((name): Header => [name, as])]
}

function bodyJson(body: string | Uint8Array | null | { error: string }): VectorBody | null {
  if (body === null) return null
  if (typeof body === 'string') return { utf8: body }
  return body instanceof Uint8Array ? { base64: Buffer.from(body).toString('base64') } : body
}

const dnsName = (keyId: string): string => keyId.toLowerCase().replace(/\.$/, '')
