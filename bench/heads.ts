import { MAX_HEADER_LINES } from '../src/core/http/fields.ts'
import type { ReceivedRequest } from '../src/index.ts'
import { asReceived, flat, type Sample } from './sample.ts'

/** Fills a head of any size with text that is awkward to parse. */
export interface AwkwardHead {
  name: string
  /** `salt` makes heads of one kind differ, so that nothing can be remembered of the last one */
  make(bytes: number, salt: number): ReceivedRequest
}

/** Each of these pieces is repeated until the head is full. */
const PIECES: Readonly<Record<string, string>> = {
  commas: ',',
  spaces: ' ',
  tabs: '\t',
  quotes: '"',
  backslashes: '\\',
  'equals signs': '=',
  dots: '.',
  letters: 'a',
  base64: 'AAAA',
  'padded base64': 'AA==',
  parameters: 'a="b",',
  'integer parameters': 'a=1,',
  'empty parameters': 'a="" , ',
  'covered names': 'a ',
  'special names': '(created) ',
  digests: 'md5=AAAA,',
  dates: 'Fri, 20 Nov 2026 12:00:00 GMT ',
  'high octets': '\xe9'
}

type Fill = (sample: Sample, filling: string, salt: number) => ReceivedRequest

const inHeader =
  (name: string, value: (filling: string, salt: number) => string): Fill =>
  ({ request }, filling, salt) => {
    const others = request.headers.filter(([each]) => each !== name)
    return { ...request, headers: asReceived([...others, [name, value(filling, salt)]]) }
  }

/** Puts the pieces into a place of the head. */
const PLACES: Readonly<Record<string, Fill>> = {
  Signature: inHeader('Signature', (filling, salt) => `${salt}${filling}`),
  'Signature, after keyId': inHeader('Signature', (filling, salt) => `keyId="${salt}.example",${filling}`),
  'Signature, in keyId': inHeader('Signature', (filling, salt) => `keyId="${salt}${filling}",signature="AAAA"`),
  'Signature, in headers': inHeader(
    'Signature',
    (filling, salt) => `keyId="${salt}",headers="${filling}",signature="AAAA"`
  ),
  'Signature, in signature': inHeader('Signature', (filling, salt) => `keyId="${salt}",signature="${filling}"`),
  'Signature, in another parameter': inHeader(
    'Signature',
    (filling, salt) => `x="${filling}",keyId="${salt}",signature="AAAA"`
  ),
  Digest: inHeader('Digest', (filling, salt) => `x${salt}=AAAA,${filling}`),
  'Digest, in SHA-256': inHeader('Digest', filling => `SHA-256=${filling}`),
  Date: inHeader('Date', (filling, salt) => `${salt}${filling}`),
  Host: inHeader('Host', (filling, salt) => `${salt}${filling}`),
  'X-Service-ID': inHeader('X-Service-ID', (filling, salt) => `account-${salt}${filling}`),
  'a covered header': inHeader('X-Nonce', (filling, salt) => `${salt}${filling}`),
  'a header that is not covered': inHeader('X-More', (filling, salt) => `${salt}${filling}`),
  'the name of a header': ({ request }, filling, salt) => ({
    ...request,
    headers: asReceived([...request.headers, [`${filling}${salt}`, '1']])
  }),
  'the method': ({ request }, filling, salt) => ({ ...request, method: flat(`${filling}${salt}`) }),
  'the target': ({ request }, filling, salt) => ({ ...request, target: flat(`/${salt}${filling}`) })
}

/** Lists the kinds that do not repeat one part. */
const OTHERS: Readonly<Record<string, (sample: Sample, bytes: number, salt: number) => ReceivedRequest>> = {
  'different covered names': (sample, bytes, salt) =>
    PLACES['Signature, in headers']!(sample, numbered(bytes, i => `x${salt}-${i} `).join(''), salt),
  'different parameters': (sample, bytes, salt) =>
    PLACES['Signature, after keyId']!(sample, numbered(bytes, i => `x${salt}-${i}=1,`).join(''), salt),
  'different digests': (sample, bytes, salt) =>
    PLACES['Digest']!(sample, numbered(bytes, i => `x${salt}-${i}=A,`).join(''), salt),
  'different header lines': ({ request }, bytes, salt) => ({
    ...request,
    headers: asReceived([
      ...request.headers,
      ...numbered(bytes, i => `${salt}${i.toString(36)}`).map(name => [name, ''] as const)
    ])
  }),
  'as many header lines as are taken, of spaces': ({ request }, bytes, salt) => {
    const more = MAX_HEADER_LINES - request.headers.length
    const spaces = `${' '.repeat(bytes / more / 2)}.${' '.repeat(bytes / more / 2)}`
    const lines = Array.from({ length: more }, (_, i) => [`x${salt}-${i}`, spaces] as const)
    return { ...request, headers: asReceived([...request.headers, ...lines]) }
  },
  'as many header lines as are taken, of names': ({ request }, bytes, salt) => {
    const more = MAX_HEADER_LINES - request.headers.length
    const name = 'X-'.repeat(bytes / more / 2 - 4)
    const lines = Array.from({ length: more }, (_, i) => [`${name}${salt}${i}`, ''] as const)
    return { ...request, headers: asReceived([...request.headers, ...lines]) }
  },
  'one header on as many lines as are taken': ({ request }, bytes, salt) => {
    const more = MAX_HEADER_LINES - request.headers.length
    const lines = Array.from({ length: more }, () => ['X-Nonce', `${salt}${','.repeat(bytes / more)}`] as const)
    return { ...request, headers: asReceived([...request.headers, ...lines]) }
  }
}

/** Makes as many different pieces as fit. */
function numbered(bytes: number, piece: (i: number) => string): string[] {
  const pieces: string[] = []
  for (let i = 0, length = 0; length < bytes; i++) {
    pieces.push(piece(i))
    length += pieces[i]!.length
  }
  return pieces
}

export function awkwardHeads(sample: Sample): AwkwardHead[] {
  const filled = Object.entries(PLACES).flatMap(([place, fill]) =>
    Object.entries(PIECES).map(([pieces, piece]) => ({
      name: `${pieces} in ${place}`,
      make: (bytes: number, salt: number) =>
        fill(sample, piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes), salt)
    }))
  )
  const others = Object.entries(OTHERS).map(([name, make]) => ({
    name,
    make: (bytes: number, salt: number) => make(sample, bytes, salt)
  }))
  return [...filled, ...others]
}
