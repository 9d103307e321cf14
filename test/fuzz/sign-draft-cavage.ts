import { type Header, signingString, type Times } from '../../fixtures/source/sign.ts'
import type { Random } from './random.ts'
import { NOW_SECONDS, pickParts, type SignedByDraft, signAs } from './signed.ts'

const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  'one._domainkey.service.example': ['rsa-sha256', 'rsa-sha256', 'rsa-sha512'],
  'two._domainkey.service.example': ['rsa-sha256', 'hs2019'],
  'edwards.service.example': ['ed25519', 'hs2019']
}

/** Makes a request as the service might send it, in one of many forms. */
export function signByDraft(random: Random): SignedByDraft {
  const spelled = (name: string) => random.pick([name, name.toUpperCase(), name.replace('s', 'S')])
  const { sent, is, headers } = pickParts(random, 'Digest', (name, digest) => `${spelled(name)}=${digest}`)
  const target = random.pick(['/', '/hook?id=42', '/a/b%2Fc?x=1&y=2', '//x', '/caf\xe9', '/?'])
  const algorithm = random.pick(ALGORITHMS[sent.keyId] ?? ['rsa-sha256'])

  const times: Times = {}
  for (const name of ['created', 'expires'] as const)
    if (!algorithm.startsWith('rsa') && random.chance(0.4)) times[name] = NOW_SECONDS + random.below(300)
  const names = [...new Set(headers.map(([name]) => name.toLowerCase()))]
  const needed = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const special = Object.keys(times).map(name => `(${name})`)
  const optional = [...names.filter(name => !needed.includes(name)), ...special].filter(() => random.chance(0.7))
  const list = [...needed, ...optional]
  if (is('coverage-insufficient')) list.splice(random.below(needed.length), 1)
  if (is('coverage-repeated')) list.push(random.pick(list))
  const absent: Header = [
    random.pick(['x-absent', 'constructor', '__proto__', 'cookie']),
    random.pick(['', 'undefined'])
  ]
  if (is('coverage-absent')) list.push(absent[0])
  const covered = random.shuffle(list)

  const own = random.shuffle(headers)
  const signedHeaders = is('coverage-absent') ? [...own, absent] : own
  const text = signingString({ ...sent, target, headers: signedHeaders }, covered, times)
  const signed = signAs(algorithm, sent.keyId, text)
  return { scheme: 'draft-cavage', ...sent, ...signed, target, headers: own, signedHeaders, algorithm, covered, times }
}
