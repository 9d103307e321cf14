import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  type Algorithm,
  buildSigningString,
  type Code,
  createVerifier,
  draftCavage,
  explain,
  type ReceivedRequest,
  type SchemeName
} from 'signed-requests'
import { buildSignatureBase, parseSignatureInput, rfc9421 } from 'signed-requests/rfc9421'
import { createTestService, type SignRequest } from 'signed-requests/testing'

/** Counts the signed requests that were verified and the forged ones that were refused, and lists the errors. */
export interface RoundTrips {
  verified: number
  refused: number
  problems: readonly string[]
}

/** Signs the text of a signature. */
interface Signer {
  keyId: string
  sign(bytes: Uint8Array): Uint8Array | Promise<ArrayBuffer>
}

const BODY = '{"event":"published","name":"caf\u00e9"}'
const REQUEST = { method: 'POST', target: '/hook?id=42', body: BODY } satisfies SignRequest

/** Runs every algorithm of both standards, signed here by `node:crypto`, and by the test kit where it can. */
export async function runRoundTrips(): Promise<RoundTrips> {
  const service = createTestService()
  const { rsa, ed25519 } = publishKeys(service.records)
  // Web Crypto signs: node:crypto of Cloudflare Workers ignores the padding option.
  const pssKey = await importPssKey(rsa.privateKey)
  const signers = {
    sha256: { ...rsa, sign: bytes => sign('sha256', bytes, rsa.privateKey) },
    sha512: { ...rsa, sign: bytes => sign('sha512', bytes, rsa.privateKey) },
    pss: { ...rsa, sign: bytes => crypto.subtle.sign({ name: 'RSA-PSS', saltLength: 64 }, pssKey, bytes) },
    ed25519: { ...ed25519, sign: bytes => sign(null, bytes, ed25519.privateKey) }
  } satisfies Record<string, Signer>
  const rows: readonly [scheme: SchemeName, algorithm: Algorithm, by?: keyof typeof signers][] = [
    ['draft-cavage', 'rsa-sha256'],
    ['draft-cavage', 'rsa-sha256', 'sha256'],
    ['draft-cavage', 'rsa-sha512', 'sha512'],
    ['draft-cavage', 'hs2019', 'pss'],
    ['draft-cavage', 'hs2019', 'ed25519'],
    ['draft-cavage', 'ed25519', 'ed25519'],
    ['rfc9421', 'rsa-v1_5-sha256'],
    ['rfc9421', 'rsa-v1_5-sha256', 'sha256'],
    ['rfc9421', 'rsa-pss-sha512', 'pss'],
    ['rfc9421', 'ed25519', 'ed25519']
  ]

  const counts = { verified: 0, refused: 0 }
  const problems: string[] = []
  for (const [scheme, algorithm, by] of rows) {
    const kit = service.sign({ ...REQUEST, scheme })
    const signAnew = scheme === 'rfc9421' ? signRfc9421 : signDraft
    const request = by === undefined ? kit : await signAnew(kit, algorithm, signers[by])
    const schemes = [scheme === 'rfc9421' ? rfc9421 : draftCavage]
    const verify = createVerifier({ ...service.options, schemes, algorithms: [algorithm] })
    for (const [change, changed, code] of variantsOf(request)) {
      const verdict = await verify(changed)
      const codes = verdict.failures.map(failure => failure.code).join()
      const isAsExpected =
        verdict.status === 'verified'
          ? code === undefined && new TextDecoder().decode(verdict.body) === BODY
          : verdict.status === 'rejected' && codes === code && explain(verdict).includes(code)
      if (isAsExpected) counts[code === undefined ? 'verified' : 'refused'] += 1
      else problems.push(`${scheme} ${algorithm} by ${by ?? 'the test kit'}, ${change}: ${verdict.status} ${codes}`)
    }
  }
  return { ...counts, problems }
}

/** Returns changes that must verify, and changes that must be refused, with the code. */
function variantsOf(request: ReceivedRequest): [change: string, changed: ReceivedRequest, code?: Code][] {
  return [
    ['as it is', request],
    ['body as a stream', { ...request, body: new Blob([BODY]).stream() }],
    ['target changed', { ...request, target: '/hook?id=43' }, 'signature-mismatch'],
    ['body changed', { ...request, body: BODY.replace('published', 'deleted') }, 'digest-mismatch']
  ]
}

/** Makes an RSA and an Ed25519 key, and adds their records to those of the service. */
function publishKeys(records: Record<string, string[][]>) {
  const publish = (name: string, publicKey: KeyObject, length?: number): string => {
    const keyId = `${name}._domainkey.service.example`
    const der = publicKey.export({ type: 'spki', format: 'der' })
    // RFC 8463 section 4: an Ed25519 record has the bare key, the last 32 bytes.
    const key = (length === undefined ? der : der.subarray(-length)).toString('base64')
    records[keyId] = [`v=DKIM1; k=${name}; p=${key}`.match(/.{1,255}/g) ?? []]
    return keyId
  }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ed25519 = generateKeyPairSync('ed25519')
  return {
    rsa: { keyId: publish('rsa', rsa.publicKey), privateKey: rsa.privateKey },
    ed25519: { keyId: publish('ed25519', ed25519.publicKey, 32), privateKey: ed25519.privateKey }
  }
}

function importPssKey(privateKey: KeyObject) {
  const der = privateKey.export({ type: 'pkcs8', format: 'der' })
  return crypto.subtle.importKey('pkcs8', der, { name: 'RSA-PSS', hash: 'SHA-512' }, false, ['sign'])
}

type Lines = readonly (readonly [name: string, value: string])[]

const octets = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const base64 = (bytes: Uint8Array | ArrayBuffer): string => Buffer.from(bytes as Uint8Array).toString('base64')

/** Replaces the test kit's signature of the request by one of this signer. */
async function signDraft(request: ReceivedRequest, algorithm: string, signer: Signer): Promise<ReceivedRequest> {
  const headers = (request.headers as Lines).filter(([name]) => name !== 'Signature')
  const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const text = buildSigningString({ ...request, headers }, covered)
  if (!text.ok) throw new Error(text.message)
  const signature = base64(await signer.sign(octets(text.value)))
  const parameters = `keyId="${signer.keyId}",algorithm="${algorithm}",headers="${covered.join(' ')}"`
  return { ...request, headers: [...headers, ['Signature', `${parameters},signature="${signature}"`]] }
}

async function signRfc9421(request: ReceivedRequest, algorithm: string, signer: Signer): Promise<ReceivedRequest> {
  const headers = (request.headers as Lines).filter(([name]) => !name.startsWith('Signature'))
  const components = '"@method" "@request-target" "@authority" "date" "x-service-id" "content-digest"'
  const created = Math.floor(Date.now() / 1000)
  const input = `sig1=(${components});created=${created};keyid="${signer.keyId}";alg="${algorithm}"`
  const parsed = parseSignatureInput(input)
  const base = parsed.ok ? buildSignatureBase({ ...request, headers }, parsed.value[0]!) : parsed
  if (!base.ok) throw new Error(base.message)
  const signature = `sig1=:${base64(await signer.sign(octets(base.value)))}:`
  return { ...request, headers: [...headers, ['Signature-Input', input], ['Signature', signature]] }
}
