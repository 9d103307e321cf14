import { type Header, type Scheme, signText } from '../../fixtures/source/sign.ts'
import type { Random } from './random.ts'
import { hashOf, KEYS, NOW_SECONDS, pickParts, type SignedByRfc9421 } from './signed.ts'

const ALGORITHMS: Readonly<Record<string, readonly (readonly [algorithm: string, scheme: Scheme])[]>> = {
  'two._domainkey.service.example': [
    ['rsa-v1_5-sha256', 'pkcs1-sha256'],
    ['rsa-pss-sha512', 'pss-sha512']
  ],
  'edwards.service.example': [['ed25519', 'ed25519']]
}

/** Structured fields: spellings that mean the same, what `;sf` covers, and what `;key` does. */
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
  // the last of two with the same key counts
  { spellings: ['z=1, z=2', 'z=2'], canonical: 'z=2', members: { z: '2' } }
] as const

const RSA_SHA256 = [['rsa-v1_5-sha256', 'pkcs1-sha256']] as const

/** A request as the service might send it by RFC 9421, in one of many ways. */
export function signByRfc9421(random: Random): SignedByRfc9421 {
  const { violation, is, method, body, keyId, host, date, account, https } = pickParts(random)
  const [path, query = ''] = random.pick([['/'], ['/hook', '?id=42'], ['/a/b%2Fc', '?x=1&y=2'], ['//x'], ['/', '?']])
  const target = path + query
  const [algorithm, scheme] = random.pick(ALGORITHMS[keyId] ?? RSA_SHA256)

  const digests = digestsOf(body)
  const digest = random.pick(digests[violation as keyof typeof digests] ?? digests.good)
  const nonce = random.pick(['n-1', 'n-2', ''])
  const someTags = [random.pick(['a', 'a, b', 'x: y', '\xe9']), random.pick(['b', '', 'c "d"'])]
  const structured = random.pick(STRUCTURED)
  const headers: Header[] = random.shuffle([
    ...(random.chance(0.5) ? [['X-Structured', random.pick(structured.spellings)] as const] : []),
    ['Host', random.pick([host, host.toUpperCase(), `${host}:443`])],
    ['Date', date],
    ['X-Service-ID', account],
    ['Content-Digest', digest],
    ['Content-Length', String(body.length)],
    ['X-Nonce', nonce],
    ...(random.chance(0.5) ? someTags : []).map((tag): Header => ['X-Tag', tag])
  ])

  const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
  const tags = valuesOf('X-Tag')

  // Each of these covers what the service must sign, and a signature leaves one group out at most.
  const needed: Header[][] = [
    [['"@method"', method]],
    random.pick<Header[]>([
      [['"@request-target"', target]],
      [['"@target-uri"', `https://${host}${target}`]],
      [
        ['"@path"', path!],
        ['"@query"', query || '?']
      ]
    ]),
    [
      random.pick<Header>([
        ['"@authority"', host],
        ['"host"', valuesOf('Host').join()]
      ])
    ],
    [['"x-service-id"', account]],
    [['"content-digest"', digest]]
  ]
  if (is('coverage-insufficient')) needed.splice(random.below(needed.length), 1)
  const coversDate = violation?.startsWith('date') || random.chance(0.7)
  const parameter = /^\?(\w+)=(\w+)/.exec(query)
  const optional: Header[] = [
    ['"@scheme"', 'https'],
    ['"content-length"', String(body.length)],
    ['"x-nonce"', nonce]
  ]
  if (parameter !== null) optional.push([`"@query-param";name="${parameter[1]}"`, parameter[2]!])
  if (tags.length > 0) {
    const octets = tags.map(tag => `:${Buffer.from(tag, 'latin1').toString('base64')}:`).join(', ')
    optional.push(tags.includes('\xe9') || random.chance(0.5) ? ['"x-tag";bs', octets] : ['"x-tag"', tags.join(', ')])
  }
  if (valuesOf('X-Structured').length > 0) {
    optional.push(['"x-structured";sf', structured.canonical])
    for (const [key, value] of Object.entries(structured.members)) optional.push([`"x-structured";key="${key}"`, value])
  }
  const lines = [...needed.flat(), ...optional.filter(() => random.chance(0.5))]
  if (coversDate) lines.push(['"date"', date])
  if (is('coverage-repeated')) lines.push(random.pick(lines))
  if (is('coverage-absent'))
    lines.push([
      random.pick(['"x-absent"', '"constructor"', '"@query-param";name="z"']),
      random.pick(['', 'undefined'])
    ])

  const time = () => String(NOW_SECONDS + random.below(300))
  const params = random.shuffle<Header>([
    ['keyid', `"${keyId}"`],
    ...(!coversDate || random.chance(0.7) ? [['created', time()] as const] : []),
    ...(random.chance(0.3) ? [['expires', time()] as const] : []),
    ...(algorithm === 'rsa-pss-sha512' || random.chance(0.7) ? [['alg', `"${algorithm}"`] as const] : []),
    ...(random.chance(0.3) ? [['nonce', '"p \\"1\\""'] as const] : []),
    ...(random.chance(0.3) ? [['tag', '"app"'] as const] : [])
  ])
  const shuffled = random.shuffle(lines)
  const covered = shuffled.map(([identifier]) => identifier)
  const signatureParams = `(${covered.join(' ')})${params.map(([name, value]) => `;${name}=${value}`).join('')}`
  const base = [...shuffled, ['"@signature-params"', signatureParams]].map(line => line.join(': ')).join('\n')
  const signature = signText(base, KEYS[keyId]!, scheme)
  return {
    scheme: 'rfc9421',
    method,
    target,
    headers,
    body,
    https,
    keyId,
    algorithm,
    covered,
    lines: shuffled,
    params,
    signature,
    replayId: hashOf('sha256', signature),
    violation
  }
}

function digestsOf(body: Buffer) {
  const another = Buffer.from('another')
  const member = (name: string, data: Buffer): string => `${name}=:${hashOf(name.replace('-', ''), data)}:`
  return {
    good: [
      member('sha-256', body),
      member('sha-512', body),
      `${member('sha-256', body)}, ${member('sha-512', body)}`,
      `${member('md5', body)}, ${member('sha-256', body)}`
    ],
    'digest-mismatch': [
      member('sha-256', another),
      `${member('sha-256', body)}, ${member('sha-512', another)}`,
      `${member('sha-512', another)}, ${member('sha-256', body)}`
    ],
    'digest-unsupported': [member('md5', body), 'unknown=:AA==:'],
    'digest-malformed': [`sha-256=:${hashOf('sha1', body)}:`, 'sha-256', `${member('sha-256', body)},`]
  }
}
