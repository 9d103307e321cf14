import type { Header } from '../../fixtures/source/sign.ts'
import {
  CHANGING,
  changeBytes,
  type Draft,
  edit,
  flipCase,
  joinLines,
  KEEPING,
  longText,
  type Mutation,
  type Parameter,
  respell,
  someCase,
  unsignedDraftOf,
  type Way
} from './mutate.ts'
import type { Random } from './random.ts'
import type { SignedByDraft } from './signed.ts'

/** A request whose Signature header is still in parts. */
interface CavageDraft extends Draft {
  parameters: Parameter[]
  separator: string
}

function draftOf(signed: SignedByDraft): CavageDraft {
  const quoted = (text: string) => `"${text}"`
  return {
    ...unsignedDraftOf(signed),
    parameters: [
      { name: 'keyId', value: quoted(signed.keyId) },
      { name: 'algorithm', value: quoted(signed.algorithm) },
      { name: 'headers', value: quoted(signed.covered.join(' ')) },
      { name: 'signature', value: quoted(signed.signature.toString('base64')) },
      ...Object.entries(signed.times).map(([name, value]) => ({ name, value: String(value) }))
    ],
    separator: ','
  }
}

const signatureHeaders = ({ parameters, separator }: CavageDraft): Header[] => [
  ['Signature', parameters.map(({ name, value }) => `${name}=${value}`).join(separator)]
]

const parameter = (draft: CavageDraft, name: string): Parameter | undefined =>
  draft.parameters.find(each => each.name === name)

function editParameter(draft: CavageDraft, name: string, change: (text: string) => string): void {
  const found = parameter(draft, name)
  if (found !== undefined) found.value = `"${change(found.value.slice(1, -1))}"`
}

const keeping: readonly Mutation<CavageDraft>[] = [
  ...KEEPING,
  draft => {
    draft.method = flipCase(draft.method)
  },
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
    draft.headers.push(['Content-Digest', random.pick(['', 'sha-256=:x:'])])
  }
]

const changing: readonly Mutation<CavageDraft>[] = [
  ...CHANGING,
  // a line of the signing string goes into the value before it, and its name out of the list
  (draft, random) => {
    const list = parameter(draft, 'headers')?.value.slice(1, -1).split(' ') ?? []
    const at = 1 + random.below(list.length)
    const [before = '', name = ''] = list.slice(at - 1, at + 1).map(each => each.toLowerCase())
    joinLines(draft, before, name, name, random)
    editParameter(draft, 'headers', () => list.filter((_, i) => i !== at).join(' '))
  },
  (draft, _, other) => editParameter(draft, 'signature', () => other.signature.toString('base64')),
  (draft, _, other) => editParameter(draft, 'headers', () => other.covered.join(' ')),
  (draft, _, other) => editParameter(draft, 'keyId', () => other.keyId),
  (draft, _, other) => editParameter(draft, 'algorithm', () => other.algorithm),
  (draft, random) =>
    editParameter(draft, random.pick(['keyId', 'algorithm', 'headers', 'signature']), text => edit(text, random)),
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
    editParameter(draft, 'signature', text => changeBytes(Buffer.from(text, 'base64'), random).toString('base64')),
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
    draft.parameters.push({ name: 'long', value: `"${longText(random)}"` })
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

export const DRAFT_CAVAGE: Way<SignedByDraft, CavageDraft> = { draftOf, signatureHeaders, keeping, changing }
