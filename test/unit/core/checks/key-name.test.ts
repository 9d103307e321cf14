import { expect, test, vi } from 'vitest'
import { service, withSignature } from '../../../support/service.ts'
import { verifyWith } from '../../../support/verdicts.ts'

test('asks DNS for no name that is not below the domain', async () => {
  const lookupTxt = vi.fn(service.lookupTxt)
  const request = service.sign()
  for (const name of ['evil.example', 'service.example', 'evilservice.example', 'a.service.example.evil.test']) {
    const renamed = withSignature(request, value => value.replace(/keyId="[^"]*"/, `keyId="${name}"`))
    const evidence = { received: name, domain: 'service.example' }
    const failures = [{ code: 'key-name-outside-domain', evidence }]
    expect(await verifyWith({ lookupTxt }, renamed)).toMatchObject({ failures })
  }
  expect(lookupTxt).not.toHaveBeenCalled()
})
