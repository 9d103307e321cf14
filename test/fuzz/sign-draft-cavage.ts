import { type Header, type Scheme, signingString, signText, type Times } from '../../fixtures/source/sign.ts'
import type { Random } from './random.ts'
import { hashOf, KEYS, NOW_SECONDS, pickParts, type SignedByDraft } from './signed.ts'

const ALGORITHMS: Readonly<Record<string, readonly (readonly [algorithm: string, scheme: Scheme])[]>> = {
  'one._domainkey.service.example': [
    ['rsa-sha256', 'pkcs1-sha256'],
    ['rsa-sha256', 'pkcs1-sha256'],
    ['rsa-sha512', 'pkcs1-sha512']
  ],
  'two._domainkey.service.example': [
    ['rsa-sha256', 'pkcs1-sha256'],
    ['hs2019', 'pss-sha512']
  ],
  'edwards.service.example': [
    ['ed25519', 'ed25519'],
    ['hs2019', 'ed25519']
  ]
}

const RSA_SHA256 = [['rsa-sha256', 'pkcs1-sha256']] as const

/** A request as the service might send it, in one of many ways. */
export function signByDraft(random: Random): SignedByDraft {
  const { violation, is, method, body, keyId, host, date, account, https } = pickParts(random)
  const target = random.pick(['/', '/hook?id=42', '/a/b%2Fc?x=1&y=2', '//x', '/caf\xe9', '/?'])
  const [algorithm, scheme] = random.pick(ALGORITHMS[keyId] ?? RSA_SHA256)

  const digests = digestsOf(body)
  const headers: Header[] = random.shuffle([
    ['Host', host],
    ['Date', date],
    ['X-Service-ID', account],
    ['Digest', random.pick(digests[violation as keyof typeof digests] ?? digests.good)],
    ['Content-Length', String(body.length)],
    ['X-Nonce', random.pick(['n-1', 'n-2', ''])],
    ...(random.chance(0.5)
      ? ([
          ['X-Tag', random.pick(['a', 'a, b', 'x: y', '\xe9'])],
          ['x-tag', random.pick(['b', '', 'c "d"'])]
        ] as const)
      : [])
  ])

  const times: Times = {}
  const special: string[] = []
  for (const name of ['created', 'expires'] as const) {
    if (algorithm.startsWith('rsa') || !random.chance(0.4)) continue
    times[name] = NOW_SECONDS + random.below(300)
    special.push(`(${name})`)
  }
  const names = [...new Set(headers.map(([name]) => name.toLowerCase()))]
  const needed = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const optional = [...names.filter(name => !needed.includes(name)), ...special].filter(() => random.chance(0.7))
  const list = [...needed, ...optional]
  if (is('coverage-insufficient')) list.splice(random.below(needed.length), 1)
  if (is('coverage-repeated')) list.push(random.pick(list))
  if (is('coverage-absent')) list.push(random.pick(['x-absent', 'constructor', '__proto__', 'cookie']))
  const covered = random.shuffle(list)

  const signedHeaders = is('coverage-absent')
    ? [...headers, [list.at(-1)!, random.pick(['', 'undefined'])] as const]
    : headers
  const text = signingString({ method, target, headers: signedHeaders }, covered, times)
  const signature = signText(text, KEYS[keyId]!, scheme)
  return {
    scheme: 'draft-cavage',
    method,
    target,
    headers,
    signedHeaders,
    body,
    https,
    keyId,
    algorithm,
    covered,
    times,
    signature,
    replayId: hashOf('sha256', signature),
    violation
  }
}

function digestsOf(body: Buffer) {
  const another = Buffer.from('another')
  return {
    good: [
      `SHA-256=${hashOf('sha256', body)}`,
      `sha-512=${hashOf('sha512', body)}`,
      `SHA-256=${hashOf('sha256', body)},SHA-512=${hashOf('sha512', body)}`,
      `MD5=${hashOf('md5', body)}, Sha-256=${hashOf('sha256', body)}`
    ],
    'digest-mismatch': [
      `SHA-256=${hashOf('sha256', another)}`,
      `SHA-256=${hashOf('sha256', body)},SHA-512=${hashOf('sha512', another)}`,
      `SHA-512=${hashOf('sha512', another)},SHA-256=${hashOf('sha256', body)}`
    ],
    'digest-unsupported': [`MD5=${hashOf('md5', body)}`, `SHA=${hashOf('sha1', body)},foo=bar`],
    'digest-malformed': [`SHA-256=${hashOf('sha1', body)}`, 'SHA-256', `SHA-256=${hashOf('sha256', body)},`]
  }
}
