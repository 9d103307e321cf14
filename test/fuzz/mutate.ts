import { toInteger, toOctets } from '../vectors/build/der.ts'
import type { Header } from '../vectors/build/sign.ts'
import type { Random } from './random.ts'
import { RECORDS, type Signed } from './signed.ts'

/** A request on its way, its Signature header still in parts. */
export interface Draft {
  method: string
  target: string
  headers: Header[]
  body: Buffer
  https: boolean
  parameters: Parameter[]
  separator: string
  records: Map<string, string[]>
  /** changes the request once it is whole */
  last: ((headers: Header[]) => Header[])[]
}

export interface Parameter {
  name: string
  /** with its quotes, where it has some */
  value: string
}

export function draftOf(signed: Signed): Draft {
  const quoted = (text: string) => `"${text}"`
  return {
    method: signed.method,
    target: signed.target,
    headers: [...signed.headers],
    body: signed.body,
    https: signed.https,
    parameters: [
      { name: 'keyId', value: quoted(signed.keyId) },
      { name: 'algorithm', value: quoted(signed.algorithm) },
      { name: 'headers', value: quoted(signed.covered.join(' ')) },
      { name: 'signature', value: quoted(signed.signature.toString('base64')) },
      ...Object.entries(signed.times).map(([name, value]) => ({ name, value: String(value) }))
    ],
    separator: ',',
    records: new Map([...RECORDS].map(([name, record]) => [name, [record]])),
    last: []
  }
}

export function headersOf(draft: Draft): Header[] {
  const signature = draft.parameters.map(({ name, value }) => `${name}=${value}`).join(draft.separator)
  return draft.last.reduce(
    (headers, change) => change(headers),
    [...draft.headers, ['Signature', signature] as const]
  )
}

/** Text that has fooled parsers. */
const AWKWARD = [
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
  'account-'
]

function edit(text: string, random: Random): string {
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

const flipCase = (text: string): string =>
  [...text].map(each => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase())).join('')

const someCase = (text: string, random: Random): string =>
  [...text].map(each => (random.chance(0.5) && /[A-Za-z]/.test(each) ? flipCase(each) : each)).join('')

const parameter = (draft: Draft, name: string): Parameter | undefined =>
  draft.parameters.find(each => each.name === name)

function editParameter(draft: Draft, name: string, change: (text: string) => string): void {
  const found = parameter(draft, name)
  if (found !== undefined) found.value = `"${change(found.value.slice(1, -1))}"`
}

function replaceLine(draft: Draft, random: Random, change: (line: Header) => readonly Header[]): void {
  const at = random.below(draft.headers.length)
  draft.headers = draft.headers.flatMap((line, i) => (i === at ? change(line) : [line]))
}

type Mutation = (draft: Draft, random: Random, other: Signed) => void

/** Changes after which it is still the request that was signed. */
export const KEEPING: readonly Mutation[] = [
  draft => {
    draft.method = flipCase(draft.method)
  },
  (draft, random) => replaceLine(draft, random, ([name, value]) => [[someCase(name, random), value]]),
  (draft, random) => replaceLine(draft, random, ([name, value]) => [[name, ` \t${value}\t`]]),
  (draft, random) => {
    draft.parameters = random.shuffle(draft.parameters)
  },
  (draft, random) => {
    draft.separator = random.pick([', ', ' ,', '\t,\t', ' , '])
  },
  (draft, random) => editParameter(draft, 'headers', text => someCase(text, random)),
  (draft, random) => editParameter(draft, 'keyId', text => someCase(text, random)),
  draft => editParameter(draft, 'keyId', text => (text.endsWith('.') ? text : `${text}.`)),
  (draft, random) => editParameter(draft, 'algorithm', text => someCase(text, random)),
  (draft, random) => {
    if (draft.parameters.some(({ name }) => name === 'extra')) return
    const value = random.pick(['""', '"a, keyId=\\"x\\""', 'token', '1', '"\xe9"'])
    draft.parameters.splice(random.below(draft.parameters.length + 1), 0, { name: 'extra', value })
  },
  (draft, random) => {
    const line: Header = [
      random.pick(['X-Other', 'Cookie', 'Content-Digest', 'X-Forwarded-Host']),
      random.pick(['', 'a', 'sha-256=:x:'])
    ]
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

/** Changes after which it may be anything. */
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
        random.pick([next, `${nextName.toLowerCase()}: ${next}`])
    ]
    draft.headers.splice(at, 2, joined)
  },
  // a line of the signing string goes into the value before it, and its name out of the list
  (draft, random) => {
    const list = parameter(draft, 'headers')?.value.slice(1, -1).split(' ') ?? []
    const at = 1 + random.below(list.length)
    const [before = '', name = ''] = list.slice(at - 1, at + 1).map(each => each.toLowerCase())
    const moved = draft.headers.filter(([each]) => each.toLowerCase() === name)
    const line = `\n${name}: ${moved.map(([, value]) => value).join(', ')}`
    if (before === '(request-target)') draft.target += line
    draft.headers = draft.headers
      .filter(header => !moved.includes(header) || random.chance(0.2))
      .map(([each, value]) => [each, each.toLowerCase() === before ? value + line : value])
    editParameter(draft, 'headers', () => list.filter((_, i) => i !== at).join(' '))
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

  // the Signature header
  (draft, _, other) => editParameter(draft, 'signature', () => other.signature.toString('base64')),
  (draft, _, other) => editParameter(draft, 'headers', () => other.covered.join(' ')),
  (draft, _, other) => editParameter(draft, 'keyId', () => other.keyId),
  (draft, _, other) => editParameter(draft, 'algorithm', () => other.algorithm),
  (draft, random) =>
    editParameter(draft, random.pick(['keyId', 'algorithm', 'headers', 'signature']), text =>
      edit(text, random)
    ),
  (draft, random) => editParameter(draft, 'headers', text => changeList(text.split(' '), random).join(' ')),
  (draft, random) =>
    editParameter(draft, 'keyId', () =>
      random.pick([
        'one._domainkey.evil.example',
        'service.example',
        'two._domainkey.service.example',
        'edwards.service.example',
        'one._domainkey.evilservice.example'
      ])
    ),
  (draft, random) =>
    editParameter(draft, 'algorithm', () =>
      random.pick(['none', 'hmac-sha256', 'rsa-sha1', 'rsa-sha512', 'hs2019', 'ed25519', 'ecdsa-sha256', ''])
    ),
  (draft, random) =>
    editParameter(draft, 'signature', text =>
      changeBytes(Buffer.from(text, 'base64'), random).toString('base64')
    ),
  (draft, random) => editParameter(draft, 'signature', text => respell(text, random)),
  (draft, random) => {
    draft.parameters.splice(random.below(draft.parameters.length), 1)
  },
  (draft, random) => {
    draft.parameters.push({ ...random.pick(draft.parameters) })
  },
  (draft, random, other) => {
    draft.parameters.push({ name: 'signature', value: `"${other.signature.toString('base64')}"` })
    if (random.chance(0.5)) draft.parameters.reverse()
  },
  (draft, random) => {
    const found = random.pick(draft.parameters)
    found.name = edit(found.name, random)
  },
  (draft, random) => {
    const found = random.pick(draft.parameters)
    found.value = edit(found.value, random)
  },
  (draft, random) => {
    const time = {
      name: random.pick(['created', 'expires']),
      value: random.pick(['1795176000', '1795176010', '0', '-1', '1e9', '"1795176000"', '9999999999'])
    }
    draft.parameters = [...draft.parameters.filter(({ name }) => name !== time.name), time]
  },
  (draft, random) => {
    draft.separator = edit(draft.separator, random)
  },
  (draft, random) => {
    draft.last.push(headers =>
      headers.map(([name, value]) => [name, name === 'Signature' ? edit(value, random) : value])
    )
  },
  (draft, random) => {
    draft.last.push(headers => random.shuffle([...headers, headers.find(([name]) => name === 'Signature')!]))
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
    draft.records.set(
      random.pick([...draft.records.keys()]),
      random.pick([[], [''], ['v=DKIM1; p='], ['v=spf1 -all']])
    )
  },

  // size: up to 16 KB of something awkward
  (draft, random) => {
    const piece = random.pick(AWKWARD)
    const text = piece.repeat(Math.floor((1 << (8 + random.below(6))) / piece.length))
    const where = random.below(4)
    if (where === 0) replaceLine(draft, random, ([name, value]) => [[name, value + text]])
    else if (where === 1) replaceLine(draft, random, ([name]) => [[name, text]])
    else if (where === 2) draft.parameters.push({ name: 'long', value: `"${text}"` })
    else
      draft.last.push(headers =>
        headers.map(([name, value]) => [name, name === 'Signature' ? text + value : value])
      )
  }
]

function changeList(names: string[], random: Random): string[] {
  const at = random.below(names.length)
  switch (random.below(5)) {
    case 0:
      return names.filter((_, i) => i !== at)
    case 1:
      return [...names, names[at]!]
    case 2:
      return [
        ...names,
        random.pick(['x-absent', 'signature', 'constructor', '__proto__', '(created)', 'content-length'])
      ]
    case 3:
      return random.shuffle(names)
    default:
      return names.map((name, i) => (i === at ? edit(name, random) : name))
  }
}

function changeBytes(bytes: Buffer, random: Random): Buffer {
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
      return toOctets(
        toInteger(Buffer.concat([Buffer.alloc(1), bytes])) + BigInt(random.below(3)),
        bytes.length
      )
  }
}

function respell(base64: string, random: Random): string {
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
