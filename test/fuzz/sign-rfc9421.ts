import type { Header } from '../../fixtures/source/sign.ts'
import type { Random } from './random.ts'
import { NOW_SECONDS, pickParts, type SignedByRfc9421, signAs } from './signed.ts'

const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  'two._domainkey.service.example': ['rsa-v1_5-sha256', 'rsa-pss-sha512'],
  'edwards.service.example': ['ed25519']
}

/** Holds structured fields in equivalent forms, with the text that `;sf` and `;key` cover. */
export const STRUCTURED = [
  {
    spellings: ['a=1, b="x, y";p=2, c', 'a=1,b="x, y"; p=2,\tc=?1', 'a=01 ,  b="x, y";  p=02 , c'],
    canonical: 'a=1, b="x, y";p=2, c',
    members: { a: '1', b: '"x, y";p=2', c: '?1' }
  },
  {
    spellings: ['k=(1 "2";q tok), d=0.5;x=:YQ==:', 'k=( 1  "2"; q  tok ),d=0.50;  x=:YQ==:'],
    canonical: 'k=(1 "2";q tok), d=0.5;x=:YQ==:',
    members: { k: '(1 "2";q tok)', d: '0.5;x=:YQ==:' }
  },
  { spellings: ['one, two;q=0.5, "3"', 'one,two; q=0.500 ,"3"'], canonical: 'one, two;q=0.5, "3"', members: {} },
  // the last of two members with the same key counts
  { spellings: ['z=1, z=2', 'z=2'], canonical: 'z=2', members: { z: '2' } }
] as const

/** Makes a request as the service might send it by RFC 9421, in one of many forms. */
export function signByRfc9421(random: Random): SignedByRfc9421 {
  const parts = pickParts(random, 'Content-Digest', (name, digest) => `${name}=:${digest}:`)
  const { sent, is, host } = parts
  const [path, query = ''] = random.pick([['/'], ['/hook', '?id=42'], ['/a/b%2Fc', '?x=1&y=2'], ['//x'], ['/', '?']])
  const target = path + query
  const algorithm = random.pick(ALGORITHMS[sent.keyId] ?? ['rsa-v1_5-sha256'])
  const structured = random.pick(STRUCTURED)
  const isStructured = random.chance(0.5)
  if (isStructured) parts.headers.push(['X-Structured', random.pick(structured.spellings)])
  const headers = random.shuffle(parts.headers)
  const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
  const line = (name: string): Header => [`"${name.toLowerCase()}"`, valuesOf(name).join(', ')]

  // Each group covers what the service must sign, and a signature leaves out at most one of them.
  const pathAndQuery: Header[] = [
    ['"@path"', path!],
    ['"@query"', query || '?']
  ]
  const needed: Header[][] = [
    [['"@method"', sent.method]],
    random.pick([[['"@request-target"', target]], [['"@target-uri"', `https://${host}${target}`]], pathAndQuery]),
    [random.pick<Header>([['"@authority"', host], line('Host')])],
    [line('X-Service-ID')],
    [line('Content-Digest')]
  ]
  if (is('coverage-insufficient')) {
    const left = random.below(needed.length)
    // The target URI has the authority in it (section 2.2.2), so that may be left out.
    const isLeftOver = left === 2 && needed[1]![0]![0] === '"@target-uri"'
    needed.splice(isLeftOver ? 0 : left, 1)
  }
  const coversDate = sent.violation?.startsWith('date') || random.chance(0.7)
  const parameter = /^\?(\w+)=(\w+)/.exec(query)
  const optional: Header[] = [['"@scheme"', 'https'], line('Content-Length'), line('X-Nonce')]
  if (parameter !== null) optional.push([`"@query-param";name="${parameter[1]}"`, parameter[2]!])
  const tags = valuesOf('X-Tag')
  if (tags.length > 0) {
    const octets = tags.map(tag => `:${Buffer.from(tag, 'latin1').toString('base64')}:`).join(', ')
    optional.push(tags.includes('\xe9') || random.chance(0.5) ? ['"x-tag";bs', octets] : line('X-Tag'))
  }
  if (isStructured) {
    optional.push(['"x-structured";sf', structured.canonical])
    for (const [key, value] of Object.entries(structured.members)) optional.push([`"x-structured";key="${key}"`, value])
  }
  const all = [...needed.flat(), ...optional.filter(() => random.chance(0.5))]
  if (coversDate) all.push(line('Date'))
  if (is('coverage-repeated')) all.push(random.pick(all))
  const absent = random.pick(['"x-absent"', '"constructor"', '"@query-param";name="z"'])
  if (is('coverage-absent')) all.push([absent, random.pick(['', 'undefined'])])
  const lines = random.shuffle(all)
  const covered = lines.map(([identifier]) => identifier)

  const time = () => String(NOW_SECONDS + random.below(300))
  const sometimes = (probability: number, param: Header): Header[] => (random.chance(probability) ? [param] : [])
  const params = random.shuffle<Header>([
    ['keyid', `"${sent.keyId}"`],
    ...sometimes(coversDate ? 0.7 : 1, ['created', time()]),
    ...sometimes(0.3, ['expires', time()]),
    ...sometimes(algorithm === 'rsa-pss-sha512' ? 1 : 0.7, ['alg', `"${algorithm}"`]),
    ...sometimes(0.3, ['nonce', '"p \\"1\\""']),
    ...sometimes(0.3, ['tag', '"app"'])
  ])
  const signatureParams = `(${covered.join(' ')})${params.map(([name, value]) => `;${name}=${value}`).join('')}`
  const base = [...lines, ['"@signature-params"', signatureParams]].map(each => each.join(': ')).join('\n')
  const signed = signAs(algorithm, sent.keyId, base)
  return { scheme: 'rfc9421', ...sent, ...signed, target, headers, algorithm, covered, lines, params }
}
