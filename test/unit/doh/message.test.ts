import { type Answer, decode, encode, type Packet } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeQuery, parseReply } from '../../../src/doh/message.ts'

const NAME = 'key.service.example'
const TXT = ['v=DKIM1; p=AB', 'CD']
const txt = (name = NAME, data = TXT): Answer => ({ type: 'TXT', class: 'IN', name, ttl: 300, data: [...data] })
const cname = (name: string, data: string): Answer => ({ type: 'CNAME', class: 'IN', name, ttl: 300, data })

const chaos = (record: Answer): Answer => ({ ...record, class: 'CH' }) as Answer

/** Writes an answer with some parts replaced, as octets. */
const answer = (parts: Partial<Packet> = {}): Buffer =>
  encode({ type: 'response', id: 0, questions: [{ type: 'TXT', class: 'IN', name: NAME }], answers: [txt()], ...parts })

const OPT = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  options: []
} as never

/** Returns the records or the code. */
function outcome(octets: Uint8Array, mustBeAuthenticated = false): unknown {
  try {
    return parseReply(octets, NAME, mustBeAuthenticated)
  } catch (error) {
    return (error as { code: string }).code
  }
}

test.each<[string, Answer[]]>([
  ['it has a record of another class', [chaos(txt())]],
  ['it has records for another name', [txt('other.example')]],
  ['a name has two CNAME records', [cname(NAME, 'a.example'), cname(NAME, 'b.example')]]
])('a reply is unusable because %s', (reason, answers) => {
  expect(() => parseReply(answer({ answers }), NAME, false)).toThrow(`the DNS reply is unusable: ${reason}`)
})

describe('parseReply', () => {
  test('returns the records at the name', () => {
    expect(outcome(answer())).toEqual([TXT])
    expect(outcome(answer({ answers: [txt(NAME.toUpperCase()), txt()] }))).toEqual([TXT, TXT])
    expect(outcome(answer({ questions: [{ type: 'TXT', class: 'IN', name: 'Key.SERVICE.example' }] }))).toEqual([TXT])
  })

  test('refuses an answer that is cut anywhere, and one with extra octets', () => {
    const whole = answer({ answers: [txt(), txt(NAME, ['x'.repeat(200)])] })
    for (let length = 0; length < whole.length; length++) expect(outcome(whole.subarray(0, length))).toBe('EBADRESP')
    expect(outcome(Buffer.concat([whole, Buffer.alloc(1)]))).toBe('EBADRESP')
    expect(outcome(Buffer.concat([whole, whole]))).toBe('EBADRESP')
  })

  test('refuses an answer that ends inside a string, although the library accepts it', () => {
    const whole = answer()
    const cut = whole.subarray(0, -2)
    expect(decode(cut).answers?.[0]).toMatchObject({ type: 'TXT' }) // it does
    expect(outcome(cut)).toBe('EBADRESP')
  })

  test.each<[string, Partial<Packet>]>([
    ['another name', { questions: [{ type: 'TXT', class: 'IN', name: 'two.service.example' }] }],
    ['another type', { questions: [{ type: 'A', class: 'IN', name: NAME }] }],
    ['another class', { questions: [{ type: 'TXT', class: 'CH', name: NAME }] }],
    ['no question', { questions: [] }],
    ['two questions', { questions: [1, 2].map(() => ({ type: 'TXT', class: 'IN', name: NAME })) }],
    ['another id', { id: 1 }],
    ['a query', { type: 'query' }],
    ['another opcode', { flags: 4 << 11 }],
    ['the Kelvin sign', { questions: [{ type: 'TXT', class: 'IN', name: NAME.replace('k', '\u212a') }] }]
  ])('refuses an answer to %s', (_, parts) => expect(outcome(answer(parts))).toBe('EBADRESP'))

  test('refuses a truncated answer, although it has records', () => {
    expect(outcome(answer({ flags: 1 << 9 }))).toBe('EBADRESP')
  })

  test.each([
    [1, 'EFORMERR'],
    [2, 'ESERVFAIL'],
    [3, 'ENOTFOUND'],
    [4, 'ENOTIMP'],
    [5, 'EREFUSED'],
    [6, 'EBADRESP'],
    [9, 'EBADRESP'],
    [15, 'EBADRESP']
  ])('reports the response code %s as %s, whatever records there are', (rcode, code) => {
    expect(outcome(answer({ flags: rcode }))).toBe(code)
    expect(outcome(answer({ flags: rcode, answers: [] }))).toBe(code)
  })

  test('joins the response code with its upper bits in EDNS: BADVERS is not "no error"', () => {
    const opt = (extendedRcode: number) =>
      ({ type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode, ednsVersion: 0, flags: 0, options: [] }) as never
    expect(outcome(answer({ answers: [], additionals: [opt(1)] }))).toBe('EBADRESP')
    expect(outcome(answer({ additionals: [opt(1)] }))).toBe('EBADRESP')
    expect(outcome(answer({ flags: 3, additionals: [opt(1)] }))).toBe('EBADRESP')
    expect(outcome(answer({ additionals: [opt(0)] }))).toEqual([TXT])
  })

  test('follows aliases from the name, in any order, as far as the answer has them', () => {
    const chain = [cname(NAME, 'a.example'), cname('A.example', 'b.example'), txt('b.example')]
    expect(outcome(answer({ answers: chain }))).toEqual([TXT])
    expect(outcome(answer({ answers: [...chain].reverse() }))).toEqual([TXT])
    expect(outcome(answer({ answers: chain.slice(0, 2) }))).toBe('ENODATA')
    expect(outcome(answer({ answers: [] }))).toBe('ENODATA')
  })

  test.each<[string, Answer[]]>([
    ['records of another name', [txt('other.example')]],
    ['records of another name beside ours', [txt(), txt('other.example')]],
    ['records at the start of a chain', [cname(NAME, 'a.example'), txt()]],
    ['records behind an alias of another name', [cname('other.example', 'a.example'), txt('a.example')]],
    ['two aliases for one name', [cname(NAME, 'a.example'), cname(NAME, 'b.example'), txt('b.example')]],
    ['more than 16,384 octets', [txt(NAME, Array(64).fill('x'.repeat(255)))]],
    ['records of another class', [{ ...txt(), class: 'CH' } as Answer]],
    ['records whose class has the upper bit, which multicast DNS uses', [{ ...txt(), flush: true } as Answer]],
    ['an alias of another class', [chaos(cname(NAME, 'a.example')), txt('a.example')]],
    ['an alias of another class, and nothing else', [chaos(cname(NAME, 'a.example'))]],
    ['an alias of another class in a chain', [cname(NAME, 'a.example'), chaos(cname('a.example', 'b.example'))]]
  ])('refuses %s', (_, answers) => expect(outcome(answer({ answers }))).toBe('EBADRESP'))

  test('a loop of aliases is an error, and no proof that there is no key (RFC 1034 section 3.6.2)', () => {
    for (const aliases of [
      [cname(NAME, 'a.example'), cname('a.example', NAME)],
      [cname(NAME, NAME)],
      [cname(NAME, 'a.example'), cname('a.example', 'b.example'), cname('b.example', 'A.example')]
    ])
      expect(outcome(answer({ answers: aliases }))).toBe('EBADRESP')
  })

  test.each<[string, Partial<Packet>]>([
    ['twice', { additionals: [OPT, OPT] }],
    ['among the answers', { answers: [txt(), OPT as Answer] }],
    ['among the authorities', { authorities: [OPT as Answer] }]
  ])('refuses OPT %s (RFC 6891 section 6.1)', (_, parts) => {
    expect(outcome(answer({ additionals: [OPT] }))).toEqual([TXT])
    expect(outcome(answer(parts))).toBe('EBADRESP')
  })

  test('refuses OPT with a name other than the root (RFC 6891 section 6.1.2)', () => {
    const whole = answer({ additionals: [OPT] })
    // The name is one octet, in front of ten of fixed length.
    const named = Buffer.concat([whole.subarray(0, -11), Buffer.from([0xc0, 12]), whole.subarray(-10)])
    expect(outcome(named)).toBe('EBADRESP')
  })

  test('skips records of other types', () => {
    const a: Answer = { type: 'A', class: 'IN', name: NAME, data: '192.0.2.1' }
    expect(outcome(answer({ answers: [a, txt()], authorities: [a], additionals: [a] }))).toEqual([TXT])
  })

  test('reads the AD bit, and no other bit', () => {
    for (let bit = 0; bit < 15; bit++) {
      const found = outcome(answer({ flags: 1 << bit }), true)
      expect(Array.isArray(found)).toBe(bit === 5)
    }
  })

  test('throws only DohError, whatever the octets', () => {
    const whole = answer({ answers: [cname(NAME, 'a.example'), txt('a.example')] })
    const codes = /^E(?:BADRESP|NODATA|NOTFOUND|SERVFAIL|REFUSED|FORMERR|NOTIMP)$/
    const isOurs = (octets: Uint8Array) => {
      const found = outcome(octets)
      if (!Array.isArray(found)) expect(found).toMatch(codes)
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), isOurs), { numRuns: 500 })
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(changes, changed => {
        const octets = Buffer.from(whole)
        for (const [at, octet] of changed) octets[at] = octet
        isOurs(octets)
      }),
      { numRuns: 1000 }
    )
  })
})

describe('encodeQuery', () => {
  test('encodeQuery can be parsed by a resolver', () => {
    const query = decode(Buffer.from(encodeQuery(NAME)))
    expect(query).toMatchObject({ type: 'query', id: 0, flag_rd: true, flag_ad: true, flag_cd: false })
    expect(query.questions).toEqual([{ type: 'TXT', class: 'IN', name: NAME }])
    expect(query.additionals).toMatchObject([{ type: 'OPT', ednsVersion: 0, flag_do: false, options: [{ code: 12 }] }])
  })
})

describe('a message that two readers read differently', () => {
  /** Writes a name by its labels, which may hold dots. */
  const raw = (...labels: string[]): Buffer =>
    Buffer.concat([
      ...labels.flatMap(label => [Buffer.of(label.length), Buffer.from(label, 'latin1')]),
      Buffer.alloc(1)
    ])
  const KEY = raw('key', 'service', 'example')
  const OTHER = raw('other', 'example')
  const record = (owner: Buffer, type: number, data: Buffer, length = data.length): Buffer => {
    const fixed = Buffer.alloc(10)
    fixed.writeUInt16BE(type, 0)
    fixed.writeUInt16BE(1, 2)
    fixed.writeUInt16BE(length, 8)
    return Buffer.concat([owner, fixed, data])
  }
  const [A, NS, CNAME, SOA, TXT_TYPE] = [1, 2, 5, 6, 16] as const
  const string = Buffer.from('\x02hi')
  const message = (asked: Buffer, ...records: Buffer[]): Buffer => {
    const header = Buffer.from([0, 0, 0x80, 0, 0, 1, 0, records.length, 0, 0, 0, 0])
    return Buffer.concat([header, asked, Buffer.of(0, TXT_TYPE, 0, 1), ...records])
  }

  test('is not what these tests write: its names and lengths are right', () => {
    expect(outcome(message(KEY, record(KEY, TXT_TYPE, string)))).toEqual([['hi']])
    expect(outcome(message(KEY, record(KEY, CNAME, OTHER), record(OTHER, TXT_TYPE, string)))).toEqual([['hi']])
  })

  test.each([
    ['in the question', message(raw('key.service', 'example'), record(KEY, TXT_TYPE, string))],
    ['in an owner', message(KEY, record(raw('key', 'service.example'), TXT_TYPE, string))],
    [
      'in the owner of an alias',
      message(KEY, record(raw('key.service.example'), CNAME, OTHER), record(OTHER, TXT_TYPE, string))
    ],
    [
      'in the target of an alias',
      message(KEY, record(KEY, CNAME, raw('other.example')), record(OTHER, TXT_TYPE, string))
    ],
    [
      'at the end of a label',
      message(KEY, record(KEY, CNAME, raw('other.', 'example')), record(raw('other.', 'example'), TXT_TYPE, string))
    ],
    ['in the target of NS', message(KEY, record(KEY, NS, raw('ns.example')), record(KEY, TXT_TYPE, string))]
  ])('a label with a dot is refused: %s', (_, octets) => expect(outcome(octets)).toBe('EBADRESP'))

  test('names that differ in octets outside ASCII are refused: they would be one text', () => {
    const [one, two] = [raw('\xfe', 'example'), raw('\xff', 'example')]
    expect(outcome(message(KEY, record(KEY, CNAME, one), record(two, TXT_TYPE, string)))).toBe('EBADRESP')
  })

  test.each([-1, 1, -OTHER.length, 3 + 12 + 2])(
    'a CNAME is refused whose length is not that of its name: by %d',
    by => {
      const alias = record(KEY, CNAME, OTHER, OTHER.length + by)
      expect(outcome(message(KEY, alias, record(OTHER, TXT_TYPE, string)))).toBe('EBADRESP')
    }
  )

  test('a record of fixed length is refused with another length', () => {
    for (const [type, data] of [
      [A, Buffer.alloc(4)],
      [SOA, Buffer.concat([OTHER, OTHER, Buffer.alloc(20)])],
      [NS, OTHER]
    ] as const)
      for (const by of [-1, 1]) {
        const octets = message(KEY, record(KEY, type, data, data.length + by), record(KEY, TXT_TYPE, string))
        expect(outcome(octets)).toBe('EBADRESP')
      }
  })
})
