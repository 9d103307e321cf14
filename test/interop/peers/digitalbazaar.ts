import { KEY_ID, keyFor, load, npmPeer, valueLists } from './peer.ts'

const NAME = '@digitalbazaar/http-signature-header'
const { createSignatureString, createAuthzHeader, parseRequest } = await load(NAME)

export const digitalbazaar = npmPeer(NAME, 'draft-cavage', {
  note: 'it makes the signing string, node:crypto signs; it writes and reads `Authorization: Signature ...`',
  sign({ method, target, covered, algorithm }, lines) {
    const created = Math.floor(Date.now() / 1000)
    const times = covered === undefined || covered.includes('(created)') ? { created, expires: created + 60 } : {}
    const requestOptions = { method, url: target, headers: valueLists(lines), algorithm, ...times }
    const text = createSignatureString({ includeHeaders: covered && [...covered], requestOptions })
    const signature = keyFor(algorithm).sign(text).toString('base64')
    // The package writes no list unless it is given one.
    const includeHeaders = covered ?? ['(created)']
    const header = createAuthzHeader({ algorithm, includeHeaders, keyId: KEY_ID, signature, ...times })
    return [['Signature', header.replace(/^Signature /, '')]]
  },
  verify({ method, target, covered, algorithm }, lines) {
    const [, value] = lines.find(([name]) => name.toLowerCase() === 'signature')!
    const headers = { ...valueLists(lines), authorization: `Signature ${value}` }
    const required = covered === undefined ? ['(created)'] : ['(request-target)']
    const { signingString, params } = parseRequest({ method, url: target, headers }, { headers: required })
    return keyFor(algorithm).verify(signingString, Buffer.from(params.signature, 'base64'))
  }
})
