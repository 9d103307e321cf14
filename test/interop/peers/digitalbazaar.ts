import { constants, sign, verify } from 'node:crypto'
import type { Case } from '../cases.ts'
import { KEY_ID, load, type Peer, PRIVATE_PEM, PUBLIC_KEY, valueLists, versionOf } from './peer.ts'

const NAME = '@digitalbazaar/http-signature-header'

const HASH = { 'rsa-sha256': 'sha256', hs2019: 'sha512' } as const
/** The draft leaves the salt's length open. */
const paddingOf = (algorithm: Case['algorithm']) =>
  algorithm === 'hs2019' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } : {}

export const digitalbazaar: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'draft-cavage',
  note: 'it makes the signing string, node:crypto signs; it writes and reads `Authorization: Signature ...`',
  async sign({ method, target, covered, algorithm }, lines) {
    const { createSignatureString, createAuthzHeader } = await load(NAME)
    const created = Math.floor(Date.now() / 1000)
    const times = covered === undefined || covered.includes('(created)') ? { created, expires: created + 60 } : {}
    const requestOptions = { method, url: target, headers: valueLists(lines), algorithm, ...times }
    const text = createSignatureString({ includeHeaders: covered && [...covered], requestOptions })
    const key = { key: PRIVATE_PEM, ...paddingOf(algorithm) }
    const signature = sign(HASH[algorithm], Buffer.from(text, 'latin1'), key).toString('base64')
    // It must be given a list to write.
    const includeHeaders = covered ?? ['(created)']
    const header = createAuthzHeader({ algorithm, includeHeaders, keyId: KEY_ID, signature, ...times })
    return [['Signature', header.replace(/^Signature /, '')]]
  },
  async verify({ method, target, covered, algorithm }, lines) {
    const { parseRequest } = await load(NAME)
    const [, value] = lines.find(([name]) => name.toLowerCase() === 'signature')!
    const headers = { ...valueLists(lines), authorization: `Signature ${value}` }
    const required = covered === undefined ? ['(created)'] : ['(request-target)']
    const { signingString, params } = parseRequest({ method, url: target, headers }, { headers: required })
    const signature = Buffer.from(params.signature, 'base64')
    const key = { key: PUBLIC_KEY, ...paddingOf(algorithm) }
    return verify(HASH[algorithm], Buffer.from(signingString, 'latin1'), key, signature)
  }
}
