import {
  addLine,
  CHANGING,
  changeBase64,
  changeList,
  type Draft,
  edit,
  joinLines,
  KEEPING,
  type Mutation,
  set,
  someCase,
  unsignedDraftOf,
  type Way
} from './mutate.ts'
import type { Random } from './random.ts'
import type { Signed, SignedByDraft } from './signed.ts'

/** A request whose Signature header is still in parts. */
interface CavageDraft extends Draft {
  separator: string
  equals: string
}

function draftOf(signed: SignedByDraft): CavageDraft {
  const { keyId, algorithm, covered, signature } = signed
  const texts = { keyId, algorithm, headers: covered.join(' '), signature: signature.toString('base64') }
  const quoted = Object.entries(texts).map(([name, text]) => ({ name, value: `"${text}"` }))
  const times = Object.entries(signed.times).map(([name, value]) => ({ name, value: String(value) }))
  return { ...unsignedDraftOf(signed), parameters: [...quoted, ...times], separator: ',', equals: '=' }
}

/** Changes the text of a parameter, between its quotes. */
const text =
  (
    name: string,
    change: (text: string, random: Random, other: Signed, draft: Draft) => string
  ): Mutation<CavageDraft> =>
  (draft, random, other) => {
    const found = draft.parameters.find(each => each.name === name)
    if (found?.value.startsWith('"')) found.value = `"${change(found.value.slice(1, -1), random, other, draft)}"`
  }

/** The value of a parameter that is its name alone. */
const NO_VALUE = 'no value'

/** What the draft tells a recipient to ignore, as a name alone. */
const IGNORED = ['', ' ', '\t ', 'foo', 'foo bar', '(x): y', '1', "'", '=', '=1', 'key Id', '; foo']

const insert = (draft: CavageDraft, random: Random, name: string, value: string): void =>
  void draft.parameters.splice(random.below(draft.parameters.length + 1), 0, { name, value })

const EXTRA = ['""', '"a, keyId=\\"x\\""', 'token', '1', '"\xe9"']

const keeping: readonly Mutation<CavageDraft>[] = [
  ...KEEPING,
  set('parameters', ({ parameters }, random) => random.shuffle(parameters)),
  set('separator', (_, random) => random.pick([', ', ' ,', '\t,\t', ' , ', ',,', ', ,'])),
  set('equals', (_, random) => random.pick([' =', '= ', '\t=\t', ' = '])),
  set('parameters', ({ parameters }, random) =>
    parameters.map(({ name, value }) => ({ name: someCase(name, random), value }))
  ),
  (draft, random) => insert(draft, random, random.pick(IGNORED), NO_VALUE),
  (draft, random) => {
    const found = random.pick(draft.parameters)
    if (/^"[\w.-]+"$/.test(found.value)) found.value = found.value.slice(1, -1)
  },
  text('headers', someCase),
  text('keyId', someCase),
  text('keyId', name => (name.endsWith('.') ? name : `${name}.`)),
  text('algorithm', someCase),
  (draft, random) => {
    if (draft.parameters.some(({ name }) => name.toLowerCase() === 'extra')) return
    draft.parameters.splice(random.below(draft.parameters.length + 1), 0, { name: 'extra', value: random.pick(EXTRA) })
  },
  addLine('Content-Digest', ['', 'sha-256=:x:'])
]

const NAMES = ['x-absent', 'signature', 'constructor', '__proto__', '(created)', 'content-length']
const ALGORITHMS = ['none', 'hmac-sha256', 'rsa-sha1', 'rsa-sha512', 'hs2019', 'ed25519', 'ecdsa-sha256', '']
const EVIL = ['one._domainkey.evil.example', 'one._domainkey.evilservice.example']
const KEY_NAMES = [...EVIL, 'service.example', 'two._domainkey.service.example', 'edwards.service.example']
const MALFORMED = ['', 'a b', '[1]', 'a"b"', '"a', 'a\\', '\x01', ';keyId=x', '=', "'", ':YQ==:']
const TIMES = [
  '1795176000',
  '1795176000.5',
  '1795176000.50',
  '1795176000.123456',
  '1795175600.5',
  '1795176010',
  '0',
  '-1',
  '1e9',
  '"1795176000"',
  '9999999999'
]

const changing: readonly Mutation<CavageDraft>[] = [
  ...CHANGING,
  // a line of the signing string goes into the value before it, and its name out of the list
  text('headers', (covered, random, _, draft) => {
    const list = covered.split(' ')
    const at = 1 + random.below(list.length)
    const [before = '', name = ''] = list.slice(at - 1, at + 1).map(each => each.toLowerCase())
    joinLines(draft, before, name, name, random)
    return list.filter((_, i) => i !== at).join(' ')
  }),
  text('signature', (_, __, other) => other.signature.toString('base64')),
  text('headers', (_, __, other) => other.covered.join(' ')),
  text('keyId', (_, __, other) => other.keyId),
  text('algorithm', (_, __, other) => other.algorithm),
  text('headers', (covered, random) => changeList(covered.split(' '), NAMES, random).join(' ')),
  text('keyId', (_, random) => random.pick(KEY_NAMES)),
  text('algorithm', (_, random) => random.pick(ALGORITHMS)),
  ...['keyId', 'algorithm', 'headers'].map(name => text(name, edit)),
  text('signature', changeBase64),
  (draft, random, other) => {
    draft.parameters.push({ name: 'signature', value: `"${other.signature.toString('base64')}"` })
    if (random.chance(0.5)) draft.parameters.reverse()
  },
  set('parameters', ({ parameters }, random) => {
    const time = { name: random.pick(['created', 'expires']), value: random.pick(TIMES) }
    return [...parameters.filter(({ name }) => name !== time.name), time]
  }),
  set('separator', ({ separator }, random) => edit(separator, random)),
  set('equals', ({ equals }, random) => edit(equals, random)),
  (draft, random) =>
    insert(draft, random, random.pick(['extra', 'KEYID', 'Expires', 'x y', '']), random.pick(MALFORMED)),
  (draft, random, other) => insert(draft, random, random.pick(['KeyId', 'keyid', 'KEYID']), `"${other.keyId}"`),
  (draft, random) => insert(draft, random, edit(random.pick(draft.parameters).name, random), NO_VALUE)
]

export const DRAFT_CAVAGE: Way<SignedByDraft, CavageDraft> = {
  draftOf,
  signatureHeaders: ({ parameters, separator, equals }) => [
    [
      'Signature',
      parameters.map(({ name, value }) => (value === NO_VALUE ? name : `${name}${equals}${value}`)).join(separator)
    ]
  ],
  keeping,
  changing
}
