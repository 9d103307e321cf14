import { toInteger, toOctets } from '../../fixtures/source/der.ts'
import type { Header } from '../../fixtures/source/sign.ts'
import type { Random } from './random.ts'
import { RECORDS, type Signed } from './signed.ts'

/** A request on its way. How its signature is written is its scheme's. */
export interface Draft {
  method: string
  target: string
  headers: Header[]
  body: Buffer
  https: boolean
  records: Map<string, string[]>
  /** changes the request once it is whole */
  last: ((headers: Header[]) => Header[])[]
}

export type Mutation<D extends Draft = Draft> = (draft: D, random: Random, other: Signed) => void

/** What the requests of one scheme go through. */
export interface Way<S extends Signed, D extends Draft> {
  draftOf(signed: S): D
  signatureHeaders(draft: D): Header[]
  /** changes after which it is still the request that was signed */
  keeping: readonly Mutation<D>[]
  /** changes after which it may be anything */
  changing: readonly Mutation<D>[]
}

export interface Parameter {
  name: string
  /** with its quotes, where it has some */
  value: string
}

export const unsignedDraftOf = ({ method, target, headers, body, https }: Signed): Draft => ({
  method,
  target,
  headers: [...headers],
  body,
  https,
  records: new Map([...RECORDS].map(([name, record]) => [name, [record]])),
  last: []
})

/** Text that has fooled parsers. */
export const AWKWARD = [
  ...'"\\,;:= \t\r\n\0()./-_@#?%*+0aAzZ\x7f\x80\xa0\xad\xff\u017f\u212a\u2028\u3002\uff10\uff21\ufeff\ud800',
  '\r\n ',
  ', ',
  ' ,',
  '""',
  '\\"',
  '__proto__',
  'constructor',
  'undefined',
  '../',
  'xn--a',
  'keyId="one._domainkey.evil.example"',
  'signature="eA=="',
  'SHA-256=',
  ';sf',
  ';keyid="one._domainkey.evil.example"',
  'sig1=:eA==:',
  'account-'
]

export function edit(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const length = random.below(3)
  const piece = random.pick(AWKWARD)
  switch (random.below(8)) {
    case 0:
      return text.slice(0, at) + piece + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + length + 1)
    case 2:
      return text.slice(0, at) + piece + text.slice(at + length)
    case 3:
      return text.slice(0, at) + text.slice(random.below(text.length + 1))
    case 4:
      return text.slice(0, at) + flipCase(text.slice(at, at + 1)) + text.slice(at + 1)
    case 5:
      return (
        text.slice(0, at) +
        String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << random.below(8))) +
        text.slice(at + 1)
      )
    case 6:
      // the same in its lower eight bits
      return text.slice(0, at) + String.fromCharCode((text.charCodeAt(at) || 0) + 0x100) + text.slice(at + 1)
    default:
      return text + piece.repeat(1 + random.below(3))
  }
}

export const flipCase = (text: string): string =>
  [...text].map(each => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase())).join('')

export const someCase = (text: string, random: Random): string =>
  [...text].map(each => (random.chance(0.5) && /[A-Za-z]/.test(each) ? flipCase(each) : each)).join('')

function replaceLine(draft: Draft, random: Random, change: (line: Header) => readonly Header[]): void {
  const at = random.below(draft.headers.length)
  draft.headers = draft.headers.flatMap((line, i) => (i === at ? change(line) : [line]))
}

/** A line of the text that is signed goes into the value of the one before it. Both are headers, or the target. */
export function joinLines(draft: Draft, before: string, name: string, written: string, random: Random): void {
  const moved = draft.headers.filter(([each]) => each.toLowerCase() === name)
  const line = `\n${written}: ${moved.map(([, value]) => value).join(', ')}`
  if (/^(?:\(|@)request-target/.test(before)) draft.target += line
  draft.headers = draft.headers
    .filter(header => !moved.includes(header) || random.chance(0.2))
    .map(([each, value]) => [each, each.toLowerCase() === before ? value + line : value])
}

const isSignature = ([name]: Header): boolean => name.startsWith('Signature')

export const KEEPING: readonly Mutation[] = [
  (draft, random) => replaceLine(draft, random, ([name, value]) => [[someCase(name, random), value]]),
  (draft, random) => replaceLine(draft, random, ([name, value]) => [[name, ` \t${value}\t`]]),
  (draft, random) => {
    const line: Header = [random.pick(['X-Other', 'Cookie', 'X-Forwarded-Host']), random.pick(['', 'a', 'sha-256=:x:'])]
    draft.headers = random.chance(0.5) ? [line, ...draft.headers] : [...draft.headers, line]
  },
  (draft, random) => {
    for (const [name, records] of draft.records) {
      draft.records.set(
        name,
        random.shuffle([...records, random.pick(['v=spf1 -all', '', 'hello', 'v=DMARC1; p=none'])])
      )
    }
  },
  (draft, random) => {
    for (const [name, record] of RECORDS) {
      const tags = random.pick(['; n=note', '; t=s', ';', '; x=y;', '; h=sha1:sha256:sha512', '; s=email:x'])
      const tagged = draft.records.get(name)!.map(each => (each === record ? record + tags : each))
      draft.records.set(name, tagged)
    }
  }
]

export const CHANGING: readonly Mutation[] = [
  (draft, random) => {
    draft.method = edit(draft.method, random)
  },
  (draft, random) => {
    draft.target = edit(draft.target, random)
  },
  draft => {
    const [first = '', ...rest] = draft.target
    draft.method += ` ${first}`
    draft.target = rest.join('')
  },
  (draft, random) => replaceLine(draft, random, ([name, value]) => [[name, edit(value, random)]]),
  (draft, random) => replaceLine(draft, random, ([name, value]) => [[name, edit(value, random)]]),
  (draft, random) => replaceLine(draft, random, ([name, value]) => [[edit(name, random), value]]),
  (draft, random) => replaceLine(draft, random, () => []),
  (draft, random) => replaceLine(draft, random, line => [line, line]),
  (draft, random) =>
    replaceLine(draft, random, ([name, value]) => [
      [name, value],
      [name, edit(value, random)]
    ]),
  (draft, random) =>
    replaceLine(draft, random, ([name, value]) =>
      value.split(random.pick([',', ' ', ':'])).map((part): Header => [name, part])
    ),
  (draft, random) => {
    // one line takes in the next one
    const at = random.below(draft.headers.length - 1)
    const [[name, value], [nextName, next]] = [draft.headers[at]!, draft.headers[at + 1]!]
    const joined: Header = [
      name,
      value +
        random.pick(['\n', '\r\n', ', ', '']) +
        random.pick([next, `${nextName.toLowerCase()}: ${next}`, `"${nextName.toLowerCase()}": ${next}`])
    ]
    draft.headers.splice(at, 2, joined)
  },
  (draft, random) => {
    const [one, two] = [random.below(draft.headers.length), random.below(draft.headers.length)]
    const [a, b] = [draft.headers[one]!, draft.headers[two]!]
    draft.headers[one] = [a[0], b[1]]
    draft.headers[two] = [b[0], a[1]]
  },
  (draft, random) => {
    draft.headers = random.shuffle(draft.headers)
  },
  (draft, random, other) => replaceLine(draft, random, line => [line, random.pick(other.headers)]),
  (draft, random, other) =>
    replaceLine(draft, random, ([name, value]) => [
      [name, other.headers.find(([each]) => each === name)?.[1] ?? value]
    ]),
  (draft, _, other) => {
    draft.headers = [...other.headers]
  },
  (draft, _, other) => {
    draft.body = other.body
  },
  (draft, _, other) => {
    draft.target = other.target
  },
  (draft, _, other) => {
    draft.method = other.method
  },
  draft => {
    draft.https = !draft.https
  },
  (draft, random) => {
    draft.body = Buffer.from(edit(draft.body.toString('latin1'), random), 'latin1')
  },

  // the headers of the signature, as text
  (draft, random) => {
    draft.last.push(headers =>
      headers.map(line => (isSignature(line) && random.chance(0.5) ? [line[0], edit(line[1], random)] : line))
    )
  },
  (draft, random) => {
    draft.last.push(headers => random.shuffle([...headers, headers.find(isSignature)!]))
  },
  (draft, random) => {
    // the other standard, or none
    draft.last.push(headers => [
      ...headers.filter(line => !isSignature(line) || random.chance(0.7)),
      ['Signature-Input', random.pick(['', 'sig1=()', 'sig1=("@method");keyid="one._domainkey.service.example"'])]
    ])
  },

  // DNS
  (draft, random) => {
    const name = random.pick([...draft.records.keys()])
    draft.records.set(
      name,
      draft.records.get(name)!.map(record => edit(record, random))
    )
  },
  (draft, random) => {
    const [one, two] = [random.pick([...draft.records.keys()]), random.pick([...draft.records.keys()])]
    draft.records.set(one, [...draft.records.get(one)!, ...draft.records.get(two)!])
  },
  (draft, random) => {
    draft.records.set(random.pick([...draft.records.keys()]), random.pick([[], [''], ['v=DKIM1; p='], ['v=spf1 -all']]))
  },

  // size
  (draft, random) => {
    const text = longText(random)
    const where = random.below(3)
    if (where === 0) replaceLine(draft, random, ([name, value]) => [[name, value + text]])
    else if (where === 1) replaceLine(draft, random, ([name]) => [[name, text]])
    else draft.last.push(headers => headers.map(line => (isSignature(line) ? [line[0], text + line[1]] : line)))
  }
]

/** Up to 8 KB of something awkward. */
export function longText(random: Random): string {
  const piece = random.pick(AWKWARD)
  return piece.repeat(Math.floor((1 << (8 + random.below(6))) / piece.length))
}

export function changeBytes(bytes: Buffer, random: Random): Buffer {
  switch (random.below(5)) {
    case 0:
      bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
      return bytes
    case 1:
      return Buffer.concat([Buffer.alloc(1), bytes])
    case 2:
      return Buffer.concat([bytes, Buffer.alloc(1)])
    case 3:
      return bytes.subarray(random.below(bytes.length))
    default:
      return toOctets(toInteger(Buffer.concat([Buffer.alloc(1), bytes])) + BigInt(random.below(3)), bytes.length)
  }
}

export function respell(base64: string, random: Random): string {
  const at = random.below(base64.length)
  return random.pick([
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    base64.replaceAll('=', ''),
    `${base64}=`,
    `${base64}====`,
    `${base64.slice(0, at)} ${base64.slice(at)}`,
    `${base64.slice(0, at)}\\${base64.slice(at)}`,
    base64.replace(/(.)=/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`)
  ])
}
