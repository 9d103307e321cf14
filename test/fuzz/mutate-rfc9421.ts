import type { Header } from '../../fixtures/source/sign.ts'
import {
  CHANGING,
  changeBytes,
  type Draft,
  edit,
  joinLines,
  KEEPING,
  longText,
  type Mutation,
  type Parameter,
  respell,
  unsignedDraftOf,
  type Way
} from './mutate.ts'
import type { Random } from './random.ts'
import { STRUCTURED } from './sign-rfc9421.ts'
import { HOSTS, type SignedByRfc9421 } from './signed.ts'

/** A request whose Signature-Input and Signature are still in parts. */
interface Rfc9421Draft extends Draft {
  label: string
  identifiers: string[]
  parameters: Parameter[]
  /** in base64 */
  signature: string
  /** what stands between identifiers, and after a semicolon */
  gap: string
  space: string
  /** members of the two headers beside its own */
  others: { input: string; signature: string }[]
}

const draftOf = (signed: SignedByRfc9421): Rfc9421Draft => ({
  ...unsignedDraftOf(signed),
  label: 'sig1',
  identifiers: [...signed.covered],
  parameters: signed.params.map(([name, value]) => ({ name, value })),
  signature: signed.signature.toString('base64'),
  gap: ' ',
  space: '',
  others: []
})

const inputOf = ({ identifiers, parameters, gap, space }: Rfc9421Draft): string =>
  `(${identifiers.join(gap)})${parameters.map(({ name, value }) => `;${space}${name}=${value}`).join('')}`

function signatureHeaders(draft: Rfc9421Draft): Header[] {
  const own = { input: `${draft.label}=${inputOf(draft)}`, signature: `${draft.label}=:${draft.signature}:` }
  const all = [...draft.others, own]
  return [
    ['Signature-Input', all.map(({ input }) => input).join(', ')],
    ['Signature', all.map(({ signature }) => signature).join(', ')]
  ]
}

const keeping: readonly Mutation<Rfc9421Draft>[] = [
  ...KEEPING,
  (draft, random) => {
    draft.label = random.pick(['a', '*x', 'sig-b22', 's.g_1'])
  },
  (draft, random) => {
    draft.gap = ' '.repeat(1 + random.below(3))
    draft.space = ' '.repeat(random.below(3))
  },
  draft => {
    // a proxy's own signature, with a key of its own
    if (draft.others.length > 0) return
    draft.others.push({ input: 'proxy=("@method");keyid="proxy.example"', signature: 'proxy=:AAAA:' })
  },
  (draft, random) => {
    // a default port and the case of a host are no difference, unless the header itself is signed
    if (draft.identifiers.includes('"host"')) return
    draft.headers = draft.headers.map(([name, value]) => {
      if (name.toLowerCase() !== 'host') return [name, value]
      const host = value.trim().toLowerCase().replace(/:443$/, '')
      return [name, random.pick([host, host.toUpperCase(), `${host}:443`])]
    })
  },
  draft => {
    // the absolute form of the same target (RFC 9112 section 3.2.2)
    const host = HOSTS.find(each => draft.headers.some(([, value]) => value.toLowerCase().includes(each)))
    if (draft.identifiers.includes('"@request-target"') || !draft.target.startsWith('/')) return
    if (host !== undefined) draft.target = `https://${host}${draft.target}`
  },
  (draft, random) => {
    // another spelling of a structured field, of which the meaning is signed
    if (!draft.identifiers.some(each => /^"x-structured";(?:sf|key)/.test(each))) return
    draft.headers = draft.headers.map(([name, value]) => {
      const same = STRUCTURED.find(({ spellings }) => spellings.some(each => each === value.trim()))
      return same === undefined ? [name, value] : [name, random.pick(same.spellings)]
    })
  },
  (draft, random) => {
    draft.headers.push(['Digest', random.pick(['', 'SHA-256=x'])])
  }
]

const changing: readonly Mutation<Rfc9421Draft>[] = [
  ...CHANGING,
  // a line of the signature base goes into the value before it, and its identifier out of the list
  (draft, random) => {
    const at = 1 + random.below(draft.identifiers.length)
    const [before = '', name = ''] = draft.identifiers.slice(at - 1, at + 1)
    joinLines(draft, before.replaceAll('"', ''), name.replaceAll('"', ''), name, random)
    draft.identifiers = draft.identifiers.filter((_, i) => i !== at)
  },
  (draft, _, other) => {
    draft.signature = other.signature.toString('base64')
  },
  (draft, _, other) => {
    draft.identifiers = [...other.covered]
  },
  (draft, _, other) => {
    if (other.scheme === 'rfc9421') draft.parameters = other.params.map(([name, value]) => ({ name, value }))
  },
  (draft, random) => {
    draft.signature = random.pick([
      () => edit(draft.signature, random),
      () => respell(draft.signature, random),
      () => changeBytes(Buffer.from(draft.signature, 'base64'), random).toString('base64')
    ])()
  },
  (draft, random) => {
    draft.identifiers = changeList(draft.identifiers, random)
  },
  (draft, random) => {
    draft.identifiers = changeList(draft.identifiers, random)
  },
  (draft, random) => {
    draft.parameters = random.shuffle(draft.parameters)
  },
  (draft, random) => changeParameter(draft, random, () => []),
  (draft, random) => changeParameter(draft, random, each => [each, { ...each }]),
  (draft, random) => changeParameter(draft, random, ({ name, value }) => [{ name: edit(name, random), value }]),
  (draft, random) => changeParameter(draft, random, ({ name, value }) => [{ name, value: edit(value, random) }]),
  (draft, random) => {
    const [name, value] = random.pick([
      ['created', '1795176000'],
      ['created', '0'],
      ['created', '1795176000.0'],
      ['expires', '9999999999'],
      ['keyid', '"one._domainkey.evil.example"'],
      ['keyid', '"edwards.service.example"'],
      ['keyid', '"TWO._domainkey.service.example."'],
      ['alg', '"hmac-sha256"'],
      ['alg', '"rsa-pss-sha512"'],
      ['alg', '"RSA-v1_5-sha256"'],
      ['nonce', '"n"'],
      ['x', '?1']
    ] as const)
    draft.parameters = [...draft.parameters.filter(each => each.name !== name), { name, value }]
  },
  (draft, random, other) => {
    // another signature beside it: of the same key, under the same label, or without its half
    const label = random.pick(['sig2', draft.label])
    const encoded = random.pick([draft.signature, other.signature.toString('base64')])
    draft.others.push({
      input: `${label}=${random.pick([inputOf(draft), `("@method");keyid="${other.keyId}"`, '()'])}`,
      signature: `${random.pick([label, 'sig3'])}=:${encoded}:`
    })
  },
  (draft, random) => {
    draft.gap = edit(draft.gap, random)
  },
  (draft, random) => {
    draft.space = edit(draft.space, random)
  },
  (draft, random) => {
    draft.label = edit(draft.label, random)
  },
  (draft, random) => {
    draft.parameters.push({ name: 'long', value: `"${longText(random)}"` })
  }
]

function changeParameter(draft: Rfc9421Draft, random: Random, change: (parameter: Parameter) => Parameter[]): void {
  const at = random.below(draft.parameters.length)
  draft.parameters = draft.parameters.flatMap((each, i) => (i === at ? change(each) : [each]))
}

function changeList(identifiers: string[], random: Random): string[] {
  const at = random.below(identifiers.length)
  const changeOne = (change: (identifier: string) => string) =>
    identifiers.map((identifier, i) => (i === at ? change(identifier) : identifier))
  switch (random.below(6)) {
    case 0:
      return identifiers.filter((_, i) => i !== at)
    case 1:
      return changeOne(each => `${each} ${each}`)
    case 2:
      return [
        ...identifiers,
        random.pick(['"x-absent"', '"signature"', '"@status"', '"@path"', '"@query-param";name="id"', '"date";sf'])
      ]
    case 3:
      return random.shuffle(identifiers)
    case 4:
      return changeOne(
        each =>
          each.replace(/;key="."$/, '') +
          random.pick([';sf', ';key="b"', ';bs', ';req', ';tr', ';key="a"', ';name="id"'])
      )
    default:
      return changeOne(each => edit(each, random))
  }
}

export const RFC9421: Way<SignedByRfc9421, Rfc9421Draft> = { draftOf, signatureHeaders, keeping, changing }
