import { expect, test } from 'vitest'
import { service } from '../../../support/service.ts'
import { verifyWith } from '../../../support/verdicts.ts'

test('shows the signing string as it was rebuilt from what was received', async () => {
  const request = service.sign({ target: '/hook' })
  const verdict = await verifyWith({}, { ...request, target: '/other' })
  expect(verdict.failures[0]?.evidence).toMatchObject({
    signingString: expect.stringMatching(/^\(request-target\): get \/other\n/),
    keyId: 'key1._domainkey.service.example',
    algorithm: 'rsa-sha256'
  })
})

test('shows the hosts where there are several, and what proxies said, if it is short', async () => {
  const rest = ['signingString', 'keyId', 'algorithm', 'record', 'signature']
  const signed = { ...service.sign({ target: '/hook' }), target: '/other' }
  const evidenceOf = async (headers: [string, string][], hosts = ['receiver.example']) => {
    const verdict = await verifyWith({ hosts }, { ...signed, headers: [...signed.headers, ...headers] })
    return verdict.failures[0]!.evidence as Record<string, unknown>
  }
  const long = 'x'.repeat(4096)
  expect(Object.keys(await evidenceOf([['X-Original-URL', long]]))).toEqual(rest)
  const hosts = ['www.receiver.example', 'receiver.example']
  const forwarded: [string, string][] = [
    ['X-Original-URL', long.slice(1)],
    ['X-Forwarded-Uri', '/hook']
  ]
  const evidence = await evidenceOf(forwarded, hosts)
  expect(Object.keys(evidence)).toEqual([...rest, 'hosts', 'forwarded'])
  expect(evidence).toMatchObject({ hosts, forwarded: ['X-Forwarded-Uri: /hook', `X-Original-URL: ${long.slice(1)}`] })
})
