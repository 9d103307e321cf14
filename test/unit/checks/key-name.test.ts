import { expect, test, vi } from 'vitest'
import { service, verifyWith } from '../../support/checks.ts'

test('asks DNS for no name that is not below the domain', async () => {
  const lookupTxt = vi.fn(service.lookupTxt)
  const request = service.sign()
  for (const name of ['evil.example', 'service.example', 'evilservice.example', 'a.service.example.evil.test']) {
    const headers = [...(request.headers as Iterable<[string, string]>)].map(([header, value]): [string, string] => [
      header,
      value.replace(/keyId="[^"]*"/, `keyId="${name}"`)
    ])
    expect(await verifyWith({ lookupTxt }, { ...request, headers })).toMatchObject({
      failures: [{ code: 'key-name-outside-domain', evidence: { received: name, domain: 'service.example' } }]
    })
  }
  expect(lookupTxt).not.toHaveBeenCalled()
})
