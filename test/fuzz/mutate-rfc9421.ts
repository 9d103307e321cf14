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
  unsignedDraftOf,
  type Way
} from './mutate.ts'
import { STRUCTURED } from './sign-rfc9421.ts'
import { HOSTS, type SignedByRfc9421 } from './signed.ts'

/** A request whose Signature-Input and Signature are still in parts. */
interface Rfc9421Draft extends Draft {
  label: string
  identifiers: string[]
  /** in base64 */
  signature: string
  /** white space between identifiers, and after a semicolon */
  gap: string
  space: string
  /** members of the two headers beside its own */
  others: { input: string; signature: string }[]
}

const parametersOf = ({ params }: SignedByRfc9421) => params.map(([name, value]) => ({ name, value }))

const inputOf = ({ identifiers, parameters, gap, space }: Rfc9421Draft): string =>
  `(${identifiers.join(gap)})${parameters.map(({ name, value }) => `;${space}${name}=${value}`).join('')}`

/** Changes the value of each header line of a name. */
const everyLine =
  (of: string, change: (value: string) => string): ((draft: Draft) => void) =>
  draft => {
    draft.headers = draft.headers.map(([name, value]) => [name, name.toLowerCase() === of ? change(value) : value])
  }

const keeping: readonly Mutation<Rfc9421Draft>[] = [
  ...KEEPING,
  set('label', (_, random) => random.pick(['a', '*x', 'sig-b22', 's.g_1'])),
  set('gap', (_, random) => ' '.repeat(1 + random.below(3))),
  set('space', (_, random) => ' '.repeat(random.below(3))),
  // a proxy's own signature, with a key of its own
  set('others', () => [{ input: 'proxy=("@method");keyid="proxy.example"', signature: 'proxy=:AAAA:' }]),
  // a default port and the case of a host are no difference, unless the header itself is signed
  (draft, random) => {
    if (draft.identifiers.includes('"host"')) return
    everyLine('host', value => {
      const host = value.trim().toLowerCase().replace(/:443$/, '')
      return random.pick([host, host.toUpperCase(), `${host}:443`])
    })(draft)
  },
  // the absolute form of the same target (RFC 9112 section 3.2.2)
  draft => {
    const host = HOSTS.find(each => draft.headers.some(([, value]) => value.toLowerCase().includes(each)))
    if (draft.identifiers.includes('"@request-target"') || !draft.target.startsWith('/')) return
    if (host !== undefined) draft.target = `https://${host}${draft.target}`
  },
  // another form of a structured field, whose meaning is signed
  (draft, random) => {
    if (!draft.identifiers.some(each => /^"x-structured";(?:sf|key)/.test(each))) return
    everyLine('x-structured', value => {
      const same = STRUCTURED.find(({ spellings }) => spellings.some(each => each === value.trim()))
      return same === undefined ? value : random.pick<string>(same.spellings)
    })(draft)
  },
  addLine('Digest', ['', 'SHA-256=x'])
]

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  created: ['1795176000', '0', '1795176000.0'],
  expires: ['9999999999'],
  keyid: ['"one._domainkey.evil.example"', '"edwards.service.example"', '"TWO._domainkey.service.example."'],
  alg: ['"hmac-sha256"', '"rsa-pss-sha512"', '"RSA-v1_5-sha256"'],
  nonce: ['"n"'],
  x: ['?1']
}
const IDENTIFIERS = ['"x-absent"', '"signature"', '"@status"', '"@path"', '"@query-param";name="id"', '"date";sf']
const COMPONENT_PARAMETERS = [';sf', ';key="b"', ';bs', ';req', ';tr', ';key="a"', ';name="id"']

const changing: readonly Mutation<Rfc9421Draft>[] = [
  ...CHANGING,
  // a line of the signature base goes into the value before it, and its identifier out of the list
  (draft, random) => {
    const at = 1 + random.below(draft.identifiers.length)
    const [before = '', name = ''] = draft.identifiers.slice(at - 1, at + 1)
    joinLines(draft, before.replaceAll('"', ''), name.replaceAll('"', ''), name, random)
    draft.identifiers = draft.identifiers.filter((_, i) => i !== at)
  },
  set('signature', (_, __, other) => other.signature.toString('base64')),
  set('identifiers', (_, __, other) => [...other.covered]),
  set('parameters', ({ parameters }, _, other) => (other.scheme === 'rfc9421' ? parametersOf(other) : parameters)),
  set('signature', ({ signature }, random) => changeBase64(signature, random)),
  set('identifiers', ({ identifiers }, random) => changeList(identifiers, IDENTIFIERS, random)),
  set('identifiers', ({ identifiers }, random) => {
    const at = random.below(identifiers.length)
    const other = (each: string) => each.replace(/;key="."$/, '') + random.pick(COMPONENT_PARAMETERS)
    return identifiers.map((each, i) => (i === at ? other(each) : each))
  }),
  set('parameters', ({ parameters }, random) => random.shuffle(parameters)),
  set('parameters', ({ parameters }, random) => {
    const [name, values] = random.pick(Object.entries(PARAMETERS))
    return [...parameters.filter(each => each.name !== name), { name, value: random.pick(values) }]
  }),
  // another signature beside it: of the same key, under the same label, or without its half
  (draft, random, other) => {
    const label = random.pick(['sig2', draft.label])
    const encoded = random.pick([draft.signature, other.signature.toString('base64')])
    draft.others.push({
      input: `${label}=${random.pick([inputOf(draft), `("@method");keyid="${other.keyId}"`, '()'])}`,
      signature: `${random.pick([label, 'sig3'])}=:${encoded}:`
    })
  },
  set('gap', ({ gap }, random) => edit(gap, random)),
  set('space', ({ space }, random) => edit(space, random)),
  set('label', ({ label }, random) => edit(label, random))
]

export const RFC9421: Way<SignedByRfc9421, Rfc9421Draft> = {
  draftOf: signed => ({
    ...unsignedDraftOf(signed),
    label: 'sig1',
    identifiers: [...signed.covered],
    parameters: parametersOf(signed),
    signature: signed.signature.toString('base64'),
    gap: ' ',
    space: '',
    others: []
  }),
  signatureHeaders(draft) {
    const own = { input: `${draft.label}=${inputOf(draft)}`, signature: `${draft.label}=:${draft.signature}:` }
    const all = [...draft.others, own]
    return [
      ['Signature-Input', all.map(({ input }) => input).join(', ')],
      ['Signature', all.map(({ signature }) => signature).join(', ')]
    ]
  },
  keeping,
  changing
}
