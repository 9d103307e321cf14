import type { VectorJson, VectorVerdict } from '../vector-form.ts'
import { ED25519, ONE } from './keys.ts'
import { NOW, NOW_SECONDS, type Recipe, sha256, txt, withHeaders } from './recipe.ts'
import { type Header, signText } from './sign.ts'
import { type Parts, signLines, type Written } from './sign-rfc9421.ts'

export const RSA_NAME = 'one._domainkey.service.example'
export const ED25519_NAME = 'ed25519._domainkey.service.example'
export const BODY = '{"event":"published"}'
export const DIGEST = `sha-256=:${sha256(BODY)}:`

/** What differs from the ordinary request; everything not said here is right. */
export interface Rfc9421Recipe
  extends Pick<Recipe, 'source' | 'note' | 'target' | 'https' | 'options' | 'set' | 'add'> {
  /** the lines of the signature base by identifier: added, changed, or left out */
  lines?: Parts
  /** the parameters of the signature as they are written: added, changed, or left out */
  params?: Parts
  algorithm?: 'rsa-v1_5-sha256' | 'rsa-pss-sha512' | 'ed25519'
  label?: string
  /** the signature, when it is not made of the signature base */
  sign?: (base: string) => Uint8Array
  /** the values of Signature-Input and Signature; null for none */
  header?: (written: Written) => { input?: string | null; signature?: string | null }
  /** the key records, when they are not those of the key */
  records?: string[][]
  /** what is different when it arrives */
  received?: {
    method?: string
    target?: string
    body?: string
    set?: Readonly<Record<string, string | null>>
    add?: readonly Header[]
  }
}

export const LINES = {
  '"@method"': 'POST',
  '"@request-target"': '/hook?id=42',
  '"@authority"': 'hooks.example.com',
  '"date"': 'Fri, 20 Nov 2026 12:00:00 GMT',
  '"x-service-id"': 'account-1234',
  '"content-digest"': DIGEST
} as const

const SIGNERS = {
  'rsa-v1_5-sha256': (base: string) => signText(base, ONE, 'pkcs1-sha256'),
  'rsa-pss-sha512': (base: string) => signText(base, ONE, 'pss-sha512'),
  ed25519: (base: string) => signText(base, ED25519, 'ed25519')
}

/** One signature over the ordinary lines. */
export function write(recipe: Rfc9421Recipe = {}): Written {
  const { algorithm = 'rsa-v1_5-sha256', label = 'sig1', sign = SIGNERS[algorithm] } = recipe
  const params = {
    created: String(NOW_SECONDS),
    keyid: `"${algorithm === 'ed25519' ? ED25519_NAME : RSA_NAME}"`,
    alg: `"${algorithm}"`,
    ...recipe.params
  }
  return signLines(label, { ...LINES, ...recipe.lines }, params, sign)
}

/** What was signed, by the name of the vector: every line of it was written down, none was built. */
export const WRITTEN_BASES = new Map<string, string>()

/** Makes one vector: an ordinary signed request, but for what the recipe says. */
export function vector(name: string, verdict: VectorVerdict, recipe: Rfc9421Recipe = {}): VectorJson {
  const [keyName, record] = recipe.algorithm === 'ed25519' ? [ED25519_NAME, ED25519.record] : [RSA_NAME, ONE.record]
  const written = write(recipe)
  WRITTEN_BASES.set(`rfc9421-${name}`, written.base)
  const { input, signature } = { ...written, ...recipe.header?.(written) }
  const headers: Header[] = [
    ['Host', 'hooks.example.com'],
    ['Date', LINES['"date"']],
    ['X-Service-ID', 'account-1234'],
    ['Content-Digest', DIGEST]
  ]
  const { received = {} } = recipe
  const lines = withHeaders(headers, recipe.set, recipe.add)
  if (input !== null) lines.push(['Signature-Input', input])
  if (signature !== null) lines.push(['Signature', signature])
  return {
    name: `rfc9421-${name}`,
    ...(recipe.source !== undefined && { source: recipe.source }),
    ...(recipe.note !== undefined && { note: recipe.note }),
    request: {
      method: received.method ?? 'POST',
      target: received.target ?? recipe.target ?? '/hook?id=42',
      headers: withHeaders(lines, received.set, received.add),
      body: { utf8: received.body ?? BODY },
      https: recipe.https ?? true
    },
    dns: { [keyName]: recipe.records ?? txt(record) },
    options: {
      serviceDomain: 'service.example',
      hosts: ['hooks.example.com'],
      accounts: ['1234'],
      schemes: ['rfc9421'],
      ...recipe.options
    },
    now: NOW,
    verdict
  }
}
