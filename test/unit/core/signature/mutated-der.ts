import { toInteger } from '../../../../fixtures/source/der.ts'
import type { Random } from '../../../fuzz/random.ts'
import type { RsaNumbers } from '../../../support/big-integer.ts'

/** An element of ITU-T X.690, to be written in forms that DER does not have. */
interface Element {
  tag: number
  content: Element[] | Buffer
  /** octets before the elements of a BIT STRING */
  before?: Buffer
  length?: 'longer than needed' | 'indefinite'
}

const [INTEGER, BIT_STRING, NULL, OBJECT_IDENTIFIER, SEQUENCE] = [0x02, 0x03, 0x05, 0x06, 0x30]
const RSA_ENCRYPTION = Buffer.from('2a864886f70d010101', 'hex')
const RSASSA_PSS = Buffer.from('2a864886f70d01010a', 'hex')

const minimal = (value: bigint | number): Buffer => {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}

function integer(value: bigint): Element {
  const octets = minimal(value)
  return { tag: INTEGER, content: octets[0]! >= 0x80 ? Buffer.concat([Buffer.alloc(1), octets]) : octets }
}

const rsaPublicKey = ({ n, e }: RsaNumbers): Element => ({ tag: SEQUENCE, content: [integer(n), integer(e)] })

const rsaSpki = (numbers: RsaNumbers): Element => {
  const identifier: Element = { tag: OBJECT_IDENTIFIER, content: RSA_ENCRYPTION }
  const algorithm = { tag: SEQUENCE, content: [identifier, { tag: NULL, content: Buffer.alloc(0) }] }
  const key = { tag: BIT_STRING, content: [rsaPublicKey(numbers)], before: Buffer.alloc(1) }
  return { tag: SEQUENCE, content: [algorithm, key] }
}

function encode({ tag, content, before, length }: Element): Buffer {
  const octets = Buffer.isBuffer(content)
    ? content
    : Buffer.concat([...(before === undefined ? [] : [before]), ...content.map(encode)])
  const start = Buffer.from([tag])
  if (length === 'indefinite') return Buffer.concat([start, Buffer.from([0x80]), octets, Buffer.alloc(2)])
  const long = minimal(octets.length)
  if (length === 'longer than needed') return Buffer.concat([start, Buffer.from([0x81 + long.length, 0]), long, octets])
  const short = octets.length < 0x80 ? long : Buffer.concat([Buffer.from([0x80 + long.length]), long])
  return Buffer.concat([start, short, octets])
}

const elementsOf = (element: Element): Element[] => [
  element,
  ...(Buffer.isBuffer(element.content) ? [] : element.content.flatMap(elementsOf))
]

/** Writes the key in another form than its DER, or in the DER of another key. */
export function mutateDer(numbers: RsaNumbers, random: Random): Buffer {
  const whole = random.chance(0.5) ? rsaSpki(numbers) : rsaPublicKey(numbers)
  const all = elementsOf(whole)
  const parents = all.filter(element => !Buffer.isBuffer(element.content))
  const integers = all.filter(({ tag }) => tag === INTEGER)
  const content = (element: Element) => element.content as Buffer
  const children = (element: Element) => element.content as Element[]
  const change = <T extends Element>(list: readonly T[], to: (element: T) => Partial<Element>) => {
    const element = random.pick(list)
    Object.assign(element, to(element))
  }

  const byElement: readonly (() => void)[] = [
    () => change(all, () => ({ length: 'longer than needed' })),
    () => change(parents, () => ({ length: 'indefinite' })),
    () => change(all, ({ tag }) => ({ tag: tag ^ (1 << random.below(8)) })),
    () => change(parents, parent => ({ content: children(parent).slice(1) })),
    () => change(parents, parent => ({ content: [...children(parent), random.pick(children(parent))] })),
    () => change(parents, parent => ({ content: [...children(parent)].reverse() })),
    () => {
      const zero = random.pick([Buffer.alloc(1), Buffer.alloc(1, 0xff)])
      change(integers, number => ({ content: Buffer.concat([zero, content(number)]) }))
    },
    () => change(integers, number => ({ content: content(number).subarray(1) })),
    () => {
      for (const bits of all) if (bits.tag === BIT_STRING) bits.before = Buffer.from([1 + random.below(255)])
    },
    () => {
      for (const oid of all) if (oid.tag === OBJECT_IDENTIFIER) oid.content = RSASSA_PSS
    }
  ]
  if (random.chance(0.6)) {
    random.pick(byElement)()
    return encode(whole)
  }
  const der = encode(whole)
  const at = random.below(der.length)
  const octet = Buffer.from([random.below(256)])
  return random.pick([
    () => {
      der[at]! ^= 1 << random.below(8)
      return der
    },
    () => Buffer.concat([der.subarray(0, at), octet, der.subarray(at)]),
    () => Buffer.concat([der.subarray(0, at), der.subarray(at + 1)]),
    () => Buffer.concat([der, octet]),
    () => der.subarray(0, at)
  ])()
}

/**
 * Returns the numbers of a key in DER, as RFC 5280 section 4.1 or RFC 8017 appendix A.1.1 writes it, else undefined.
 */
export function readKey(der: Buffer): RsaNumbers | undefined {
  // DER has one encoding of a value (X.690 section 10): any other encoding is not DER.
  for (const numbers of candidates(der))
    if ([rsaSpki, rsaPublicKey].some(form => encode(form(numbers)).equals(der))) return numbers
  return undefined
}

/** Yields two integers at the end of the octets, where a key in DER has them. No accepted exponent is longer. */
function* candidates(der: Buffer): Generator<RsaNumbers> {
  for (const length of [1, 2, 3, 4, 5]) {
    const end = der.length - length - 2
    if (der[end] !== INTEGER || der[end + 1] !== length) continue
    const e = toInteger(der.subarray(end + 2))
    for (let start = 0; start < end - 4; start++) {
      if (der[start] !== INTEGER) continue
      const [long, longer] = [der[start + 1] === 0x81, der[start + 1] === 0x82]
      if (long && der[start + 2] === end - start - 3) yield { n: toInteger(der.subarray(start + 3, end)), e }
      if (longer && der.readUInt16BE(start + 2) === end - start - 4)
        yield { n: toInteger(der.subarray(start + 4, end)), e }
    }
  }
}
