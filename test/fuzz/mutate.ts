import { toInteger, toOctets } from '../../fixtures/source/der.ts'
import type { Header } from '../../fixtures/source/sign.ts'
import type { Random } from './random.ts'
import { RECORDS, type Signed } from './signed.ts'

/** A request on its way. Its scheme decides how its signature is written. */
export interface Draft {
  method: string
  target: string
  headers: Header[]
  body: Buffer
  https: boolean
  /** of the signature */
  parameters: Parameter[]
  records: Map<string, string[]>
  /** changes the request once it is whole */
  last: ((headers: Header[]) => Header[])[]
}

export interface Parameter {
  name: string
  /** with its quotes, where it has some */
  value: string
}

/** Changes a draft; `other` is another signed request. */
type Change<D, T> = (draft: D, random: Random, other: Signed) => T
export type Mutation<D extends Draft = Draft> = Change<D, void>

/** Lists the changes that the requests of one scheme undergo. */
export interface Way<S extends Signed, D extends Draft> {
  draftOf(signed: S): D
  signatureHeaders(draft: D): Header[]
  /** changes after which it is still the request that was signed */
  keeping: readonly Mutation<D>[]
  /** changes after which it may be anything */
  changing: readonly Mutation<D>[]
}

export const unsignedDraftOf = ({ method, target, headers, body, https }: Signed): Omit<Draft, 'parameters'> => ({
  method,
  target,
  headers: [...headers],
  body,
  https,
  records: new Map([...RECORDS].map(([name, record]) => [name, [record]])),
  last: []
})

/** This text has fooled parsers. */
const SEPARATORS = ['\r\n ', ', ', ' ,', '""', '\\"', '../']
const NAMES = ['__proto__', 'constructor', 'undefined', 'xn--a', 'account-']
const PARAMETERS = ['signature="eA=="', 'sig1=:eA==:', 'SHA-256=', ';sf']
const KEY_NAMES = ['keyId="one._domainkey.evil.example"', ';keyid="one._domainkey.evil.example"']
const LETTERS = '"\\,;:= \t\r\n\0()./-_@#?%*+0aAzZ\x7f\x80\xa0\xad\xff\u017f\u212a\u2028\u3002\uff10\uff21\ufeff\ud800'
const AWKWARD = [...LETTERS, ...SEPARATORS, ...NAMES, ...PARAMETERS, ...KEY_NAMES]

export function edit(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const [before, one, after] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)]
  const other = (change: (code: number) => number) => String.fromCharCode(change(one.charCodeAt(0) || 0))
  const piece = random.pick(AWKWARD)
  return random.pick([
    () => before + piece + one + after,
    () => before + after.slice(random.below(3)),
    () => before + piece + text.slice(at + random.below(3)),
    () => before + text.slice(random.below(text.length + 1)),
    () => before + flipCase(one) + after,
    () => before + other(code => code ^ (1 << random.below(8))) + after,
    // the same in its lower eight bits
    () => before + other(code => code + 0x100) + after,
    () => text + piece.repeat(1 + random.below(3))
  ])()
}

export const flipCase = (text: string): string =>
  [...text].map(each => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase())).join('')

export const someCase = (text: string, random: Random): string =>
  [...text].map(each => (random.chance(0.5) && /[A-Za-z]/.test(each) ? flipCase(each) : each)).join('')

/** Adds, drops, repeats or changes a name, or reorders all. */
export function changeList(list: readonly string[], more: readonly string[], random: Random): string[] {
  const at = random.below(list.length)
  const [one = ''] = list.slice(at)
  return random.pick([
    () => list.filter((_, i) => i !== at),
    () => [...list, one],
    () => [...list.slice(0, at), one, ...list.slice(at)],
    () => [...list, random.pick(more)],
    () => random.shuffle(list),
    () => list.map((name, i) => (i === at ? edit(name, random) : name))
  ])()
}

/** Returns up to 8 KB of text that is awkward to parse. */
function longText(random: Random): string {
  const piece = random.pick(AWKWARD)
  return piece.repeat(Math.floor((1 << (8 + random.below(6))) / piece.length))
}

/** Returns other bytes, or the same in a non-canonical form of base64. */
export function changeBase64(base64: string, random: Random): string {
  const bytes = Buffer.from(base64, 'base64')
  const [at, place] = [random.below(base64.length), random.below(bytes.length)]
  const [before, after] = [base64.slice(0, at), base64.slice(at)]
  const written = (...parts: Uint8Array[]) => Buffer.concat(parts).toString('base64')
  return random.pick([
    () => edit(base64, random),
    () => written(bytes.map((byte, i) => (i === place ? byte ^ (1 << random.below(8)) : byte))),
    () => written(Buffer.alloc(1), bytes),
    () => written(bytes, Buffer.alloc(1)),
    () => written(bytes.subarray(place)),
    () => written(toOctets(toInteger(Buffer.concat([Buffer.alloc(1), bytes])) + BigInt(random.below(3)), bytes.length)),
    () => base64.replaceAll('+', '-').replaceAll('/', '_'),
    () => base64.replaceAll('=', ''),
    () => base64 + random.pick(['=', '====']),
    () => before + random.pick([' ', '\\']) + after,
    () => base64.replace(/(.)=/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`)
  ])()
}

/** Gives a part of the draft another value. */
export const set =
  <D extends Draft, K extends keyof D>(part: K, value: Change<D, D[K]>): Mutation<D> =>
  (draft, random, other) => {
    draft[part] = value(draft, random, other)
  }

/** Replaces an item of a list by others. */
const inPlaceOfOne =
  <K extends 'headers' | 'parameters'>(
    part: K,
    change: Change<Draft[K][number], readonly Draft[K][number][]>
  ): Mutation =>
  (draft, random, other) => {
    const at = random.below(draft[part].length)
    const changed = draft[part].flatMap((one, i): readonly Draft[K][number][] =>
      i === at ? change(one, random, other) : [one]
    )
    draft[part] = changed as Draft[K]
  }
const line = (change: Change<Header, readonly Header[]>) => inPlaceOfOne('headers', change)
const parameter = (change: Change<Parameter, readonly Parameter[]>) => inPlaceOfOne('parameters', change)

export const addLine =
  (name: string, values: readonly string[]): Mutation =>
  (draft, random) =>
    draft.headers.push([name, random.pick(values)])

/** Changes the request once it is whole. */
const whole =
  (change: (headers: Header[], random: Random) => Header[]): Mutation =>
  (draft, random) =>
    draft.last.push(headers => change(headers, random))

/** Changes the records of one name, or of all. */
const record =
  (change: (records: string[], random: Random, draft: Draft) => string[]): Mutation =>
  (draft, random) => {
    const name = random.pick([...draft.records.keys()])
    draft.records.set(name, change(draft.records.get(name)!, random, draft))
  }
const everyRecord =
  (change: (records: string[], random: Random, own: string) => string[]): Mutation =>
  (draft, random) => {
    for (const [name, own] of RECORDS) draft.records.set(name, change(draft.records.get(name)!, random, own))
  }

/** Moves a line of the signed text into the value of the line before it. Both are headers, or the target. */
export function joinLines(draft: Draft, before: string, name: string, written: string, random: Random): void {
  const moved = draft.headers.filter(([each]) => each.toLowerCase() === name)
  const added = `\n${written}: ${moved.map(([, value]) => value).join(', ')}`
  if (/^(?:\(|@)request-target/.test(before)) draft.target += added
  draft.headers = draft.headers
    .filter(header => !moved.includes(header) || random.chance(0.2))
    .map(([each, value]) => [each, each.toLowerCase() === before ? value + added : value])
}

const isSignature = ([name]: Header): boolean => name.startsWith('Signature')
const OTHER_TEXTS = ['v=spf1 -all', '', 'hello', 'v=DMARC1; p=none']
const MORE_TAGS = ['; n=note', '; t=s', ';', '; x=y;', '; h=sha1:sha256:sha512', '; s=email:x']

export const KEEPING: readonly Mutation[] = [
  line(([name, value], random) => [[someCase(name, random), value]]),
  line(([name, value]) => [[name, ` \t${value}\t`]]),
  (draft, random) => {
    const more: Header = [random.pick(['X-Other', 'Cookie', 'X-Forwarded-Host']), random.pick(['', 'a', 'sha-256=:x:'])]
    draft.headers = random.chance(0.5) ? [more, ...draft.headers] : [...draft.headers, more]
  },
  everyRecord((records, random) => random.shuffle([...records, random.pick(OTHER_TEXTS)])),
  everyRecord((records, random, own) => records.map(each => (each === own ? own + random.pick(MORE_TAGS) : each)))
]

export const CHANGING: readonly Mutation[] = [
  set('method', ({ method }, random) => edit(method, random)),
  set('target', ({ target }, random) => edit(target, random)),
  set('body', ({ body }, random) => Buffer.from(edit(body.toString('latin1'), random), 'latin1')),
  set('https', ({ https }) => !https),
  set('method', (_, __, other) => other.method),
  set('target', (_, __, other) => other.target),
  set('body', (_, __, other) => other.body),
  set('headers', (_, __, other) => [...other.headers]),
  set('headers', ({ headers }, random) => random.shuffle(headers)),
  draft => {
    const [first = '', ...rest] = draft.target
    draft.method += ` ${first}`
    draft.target = rest.join('')
  },
  line(([name, value], random) => [[name, edit(value, random)]]),
  line(([name, value], random) => [[edit(name, random), value]]),
  line(() => []),
  line(one => [one, one]),
  line((one, random) => [one, [one[0], edit(one[1], random)]]),
  line(([name, value], random) => value.split(random.pick([',', ' ', ':'])).map(part => [name, part])),
  line((one, random, other) => [one, random.pick(other.headers)]),
  line(([name, value], _, other) => [[name, other.headers.find(([each]) => each === name)?.[1] ?? value]]),
  line(([name], random) => [[name, longText(random)]]),
  line(([name, value], random) => [[name, value + longText(random)]]),
  (draft, random) => {
    // one line absorbs the next one
    const at = random.below(draft.headers.length - 1)
    const [[name, value], [nextName, next]] = [draft.headers[at]!, draft.headers[at + 1]!]
    const lower = nextName.toLowerCase()
    const taken = random.pick([next, `${lower}: ${next}`, `"${lower}": ${next}`])
    draft.headers.splice(at, 2, [name, value + random.pick(['\n', '\r\n', ', ', '']) + taken])
  },
  (draft, random) => {
    const [one, two] = [random.below(draft.headers.length), random.below(draft.headers.length)]
    const [a, b] = [draft.headers[one]!, draft.headers[two]!]
    draft.headers[one] = [a[0], b[1]]
    draft.headers[two] = [b[0], a[1]]
  },

  // the parameters of the signature, and its headers as text
  parameter(() => []),
  parameter(one => [one, { ...one }]),
  parameter(({ name, value }, random) => [{ name: edit(name, random), value }]),
  parameter(({ name, value }, random) => [{ name, value: edit(value, random) }]),
  parameter((one, random) => [one, { name: 'long', value: `"${longText(random)}"` }]),
  whole((headers, random) =>
    headers.map(one => (isSignature(one) && random.chance(0.5) ? [one[0], edit(one[1], random)] : one))
  ),
  whole((headers, random) => headers.map(one => (isSignature(one) ? [one[0], longText(random) + one[1]] : one))),
  whole((headers, random) => random.shuffle([...headers, headers.find(isSignature)!])),
  // the other standard, or none
  whole((headers, random) => [
    ...headers.filter(one => !isSignature(one) || random.chance(0.7)),
    ['Signature-Input', random.pick(['', 'sig1=()', 'sig1=("@method");keyid="one._domainkey.service.example"'])]
  ]),

  // DNS
  record((records, random) => records.map(each => edit(each, random))),
  record((records, random, all) => [...records, ...random.pick([...all.records.values()])]),
  record((_, random) => random.pick([[], [''], ['v=DKIM1; p='], ['v=spf1 -all']]))
]
