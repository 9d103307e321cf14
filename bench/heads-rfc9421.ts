import { MAX_PARSED } from '../src/core/standards/rfc9421/signature-base.ts'
import { FOR_INPUT, FOR_PARAMETERS, MAX_SEQUENCES_LENGTH } from '../src/core/standards/rfc9421/structured-fields.ts'
import type { ReceivedRequest, VerifierOptions } from '../src/index.ts'
import { rfc9421, testing } from './dist.ts'
import type { AwkwardHead } from './heads.ts'
import { asReceived } from './sample.ts'

/** Covers what the local checks ask for, so that everything is read, up to the verification. */
const COVERED = '"@method" "@request-target" "@authority" "date" "x-service-id" "content-digest"'

const service = testing.createTestService()
const [KEY_ID] = Object.keys(service.records)
const signed = service.sign({ scheme: 'rfc9421', target: '/hook?id=7', body: 'x' })

export const rfc9421Options: VerifierOptions = { ...service.options, schemes: [rfc9421] }

interface Parts {
  /** after the components that are required */
  components?: string
  /** after `keyid` */
  parameters?: string
  /** more members of Signature-Input */
  members?: string
  lines?: readonly (readonly [name: string, value: string])[]
  target?: string
}

/** Returns a head that passes as many local checks as it can. Another header fills the remaining bytes. */
function headOf(bytes: number, salt: number, parts: Parts): ReceivedRequest {
  const { components = '', parameters = '', members = '', lines = [], target = signed.target } = parts
  const own = new Map(signed.headers)
  const created = Math.floor(Date.now() / 1000)
  own.set('Signature-Input', `s=(${COVERED}${components});created=${created};keyid="${KEY_ID}"${parameters}${members}`)
  for (const [name] of lines) own.delete(name)
  if (!lines.some(([name]) => name === 'Signature')) own.set('Signature', `s=:${base64(256, salt)}:`)
  const all = [...own, ...lines]
  const length = all.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length)
  if (bytes > length) all.push(['X-More', 'x'.repeat(bytes - length)])
  return { ...signed, target, headers: asReceived(all) }
}

const base64 = (octets: number, salt: number): string => Buffer.alloc(octets, salt).toString('base64')

const repeat = (count: number, piece: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => piece(i)).join('')

/**
 * Limits of docs/rfc9421.md that are left beside the rest of a head: for Signature-Input alone, and with fields and a
 * query.
 */
const INPUT_LEFT = FOR_INPUT.length - COVERED.length - 110
const INPUT_PARTS_LEFT = FOR_INPUT.parts - 12
const LEFT = FOR_PARAMETERS.length - COVERED.length - 110
const PARTS_LEFT = FOR_PARAMETERS.parts - 12

const filled = (piece: string, parts = 0): string =>
  repeat(
    Math.min(
      Math.floor(INPUT_LEFT / piece.length),
      parts === 0 ? Number.POSITIVE_INFINITY : Math.floor(INPUT_PARTS_LEFT / parts)
    ),
    () => piece
  )

/** Fills with texts between `(` and `)`, behind them, or in a member of their own. */
const INPUTS: Readonly<Record<string, (salt: number) => Parts>> = {
  'the required components alone': () => ({}),
  'as many components as are taken': salt => ({ components: repeat(94, i => ` "x${salt}-${i}"`) }),
  'as many components of one name': () => ({ components: repeat(94, () => ' "a"') }),
  'components with parameters': salt => ({ components: repeat(5, i => ` "x${salt}${i}";sf`) }),
  'a component with many parameters': salt => ({
    components: ` "x"${repeat(INPUT_PARTS_LEFT, i => `;p${salt}${i}`)}`
  }),
  'many parameters': salt => ({ parameters: repeat(INPUT_PARTS_LEFT, i => `;p${salt}-${i}=1`) }),
  'many long parameters': salt => ({ parameters: repeat(INPUT_PARTS_LEFT, i => `;parameter${salt}-${i}=1`) }),
  'many decimals': salt => ({ parameters: repeat(INPUT_PARTS_LEFT, i => `;p${salt}${i}=12345678.125`) }),
  'many byte sequences': salt => ({ parameters: repeat(INPUT_PARTS_LEFT, i => `;p${salt}${i}=:AAAAAAAA:`) }),
  'many strings': salt => ({ parameters: repeat(INPUT_PARTS_LEFT, i => `;p${salt}${i}="\\"\\"\\"\\""`) }),
  'many signatures': salt => ({ members: repeat(INPUT_PARTS_LEFT / 2, i => `,m${salt}-${i}=("a" "b")`) }),
  'many signatures with a key': salt => ({
    members: repeat(33, i => `,m${salt}${i}=("a");keyid="a.service.example"`)
  }),
  'many empty signatures': salt => ({ members: repeat(INPUT_PARTS_LEFT, i => `,m${salt}-${i}=()`) }),
  'a long name of a component': salt => ({ components: ` "${salt}${filled('a')}"` }),
  'a long parameter': salt => ({ parameters: `;p${salt}="${filled('a')}"` }),
  'a parameter of quotes': salt => ({ parameters: `;p${salt}="${filled('\\"')}"` }),
  'a parameter of backslashes': salt => ({ parameters: `;p${salt}="${filled('\\\\')}"` }),
  'a long token': salt => ({ parameters: `;p${salt}=a${filled('a')}` }),
  'a long byte sequence': salt => ({ parameters: `;p${salt}=:${filled('AAAA')}:` }),
  'a long key': salt => ({ parameters: `;p${salt}${filled('a')}` }),
  'a display string': salt => ({ parameters: `;p${salt}=%"${filled('%c3%bc')}"` }),
  'spaces in the list': () => ({ components: filled(' ', 1) }),
  'a list that is not closed': salt => ({ components: filled(` "${salt}"`, 1), parameters: ';p=(' }),
  'more than is taken': salt => ({ parameters: repeat(3000, i => `;p${salt}${i}`) })
}

/** Gives values of a field that is covered with `sf`, ten of them, or with `key`. */
const FIELDS: Readonly<Record<string, (i: number) => string>> = {
  integers: () => '1',
  decimals: () => '12345678.125',
  strings: () => '"\\"\\"\\"\\"\\"\\""',
  tokens: () => 'abcdefghijklmno',
  'byte sequences': () => ':AAAAAAAAAAAA:',
  'display strings': () => '%"%c3%bc%c3%bc"',
  dates: () => '@1700000000',
  'members of a dictionary': i => `k${i}=12.5`,
  'inner lists': () => '(1)',
  'an item with parameters': i => (i === 0 ? '1' : `;p${i}=1.5`)
}

/** Lists heads of one item each. */
const LONG: Readonly<Record<string, string>> = {
  'a long string': `"${'a'.repeat(780)}"`,
  'a string of quotes': `"${'\\"'.repeat(390)}"`,
  'a long token': 'a'.repeat(780),
  'a long byte sequence': `:${'AAAA'.repeat(195)}:`,
  'a display string': `%"${'%c3%bc'.repeat(130)}"`
}

function fieldsOf(
  salt: number,
  count: number,
  item: (i: number) => string,
  end = '',
  parts = PARTS_LEFT
): [string, string][] {
  // Signature-Input counts towards the size as well.
  const perField = Math.floor((parts - 2 * count) / count) - end.length
  const most = Math.floor(LEFT / 1.5 / count) - end.length - 2
  return Array.from({ length: count }, (_, field) => {
    let value = ''
    for (let i = 0; i < perField; i++) {
      const piece = item(i)
      const next = value === '' || piece.startsWith(';') ? value + piece : `${value},${piece}`
      if (next.length > most) break
      value = next
    }
    return [`x${salt}-${field}`, value + end]
  })
}

const coveredWith = (lines: readonly [string, string][], parameter: string): Parts => ({
  lines,
  components: lines.map(([name]) => ` "${name}";${parameter}`).join('')
})

const QUERIES: Readonly<Record<string, string>> = {
  'percent signs': '%00'.repeat(260),
  letters: 'a'.repeat(780),
  'characters that are escaped': "'".repeat(780),
  'broken percent signs': '%'.repeat(780)
}

export function awkwardRfc9421Heads(): AwkwardHead[] {
  const kinds: [name: string, parts: (salt: number, bytes: number) => Parts][] = Object.entries(INPUTS)
  for (const [name, item] of Object.entries(FIELDS)) {
    for (const count of [1, MAX_PARSED]) {
      kinds.push([`${count} fields with sf: ${name}`, salt => coveredWith(fieldsOf(salt, count, item), 'sf')])
      // The field is neither a list nor a dictionary, but only its end shows that.
      kinds.push([
        `${count} fields with sf: ${name}, broken`,
        salt => coveredWith(fieldsOf(salt, count, item, ',;'), 'sf')
      ])
    }
    kinds.push([
      `${MAX_PARSED} fields with a key: ${name}`,
      salt => coveredWith(fieldsOf(salt, MAX_PARSED, item), 'key="k1"')
    ])
  }
  for (const [name, item] of Object.entries(LONG))
    kinds.push([`a field with sf: ${name}`, salt => coveredWith([[`x${salt}`, item]], 'sf')])
  kinds.push([
    'a dictionary with several keys',
    salt => {
      const [line] = fieldsOf(salt, 1, i => `k${i}=12.5`, '', PARTS_LEFT - 2 * MAX_PARSED)
      return { lines: [line!], components: repeat(MAX_PARSED, i => ` "${line![0]}";key="k${i}"`) }
    }
  ])
  for (const [name, query] of Object.entries(QUERIES)) {
    kinds.push([
      `a query parameter: ${name}`,
      salt => ({ target: `/${salt}?a=${query}`, components: ' "@query-param";name="a"' })
    ])
  }
  kinds.push([
    'many query parameters',
    salt => ({
      target: `/${salt}?${repeat(MAX_PARSED, i => `p${i}=${"%00'".repeat(35)}&`)}`,
      components: repeat(MAX_PARSED, i => ` "@query-param";name="p${i}"`)
    })
  ])
  kinds.push([
    'many fields with bs',
    salt => {
      const names = Array.from({ length: MAX_PARSED }, (_, i) => `x${salt}-${i}`)
      return {
        lines: names.map(name => [name, 'x'.repeat(145)]),
        components: names.map(name => ` "${name}";bs`).join('')
      }
    }
  ])
  kinds.push([
    'a field with bs on many lines',
    salt => ({
      lines: Array.from({ length: 22 }, () => [`x${salt}`, 'a'.repeat(30)] as const),
      components: ` "x${salt}";bs`
    })
  ])
  kinds.push([
    'a long field, as it is and with bs',
    salt => ({
      lines: [[`x${salt}`, 'x'.repeat(750)]],
      components: ` "x${salt}" "x${salt}";bs`
    })
  ])
  kinds.push([
    'a long target in every form',
    (salt, bytes) => ({
      target: `/${salt}${'a'.repeat(bytes - 2500)}?`,
      components: ' "@path" "@query" "@target-uri"'
    })
  ])
  for (const [count, what] of [
    [32, 'as many as are taken'],
    [2, 'a long one']
  ] as const) {
    const size = Math.floor((MAX_SEQUENCES_LENGTH / count - 16) / 4) * 3
    const list = (first: string, salt: number) =>
      [first, ...Array.from({ length: count - 1 }, (_, i) => `x${salt}-${i}=:${base64(size, salt)}:`)].join(',')
    const digest = `sha-256=:${base64(32, 1)}:`
    kinds.push([`${what} of digests`, salt => ({ lines: [['Content-Digest', list(digest, salt)]] })])
    kinds.push([`${what} of signatures`, salt => ({ lines: [['Signature', list(`s=:${base64(256, salt)}:`, salt)]] })])
  }
  kinds.push([
    'as many header lines as are taken',
    (salt, bytes) => ({
      lines: Array.from({ length: 480 }, (_, i) => [`${salt}${'x-'.repeat((bytes - 5000) / 1000)}${i}`, ''] as const)
    })
  ])
  // Reaches each limit at once.
  kinds.push([
    'everything at once',
    salt => {
      const fields = fieldsOf(salt, MAX_PARSED, i => `k${i}=12345678.125`, '', PARTS_LEFT / 2)
      const more = Array.from({ length: 350 }, (_, i) => [`y${salt}${i}`, ''] as const)
      return {
        lines: [...fields, ...more],
        components: fields.map(([name]) => ` "${name}";sf`).join(''),
        parameters: repeat(12, i => `;p${i}=12345678.125`)
      }
    }
  ])
  return kinds.map(([name, parts]) => ({
    name: `RFC 9421: ${name}`,
    make: (bytes, salt) => headOf(bytes, salt, parts(salt, bytes))
  }))
}
