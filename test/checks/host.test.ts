import { expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { createVerifier } from '../../src/verify.ts'

test('a character beyond ASCII is no letter of a host, whatever it is in lower case', async () => {
  const service = createTestService()
  const verify = createVerifier({ ...service.options, hosts: 'kiosk.example' })
  expect(await verify(service.sign({ host: 'KIOSK.EXAMPLE' }))).toMatchObject({ status: 'verified' })

  const kelvin = service.sign({ host: '\u212aiosk.example' })
  expect('\u212aiosk.example'.toLowerCase()).toBe('kiosk.example')
  expect(await verify(kelvin)).toMatchObject({ failures: [{ code: 'host-mismatch' }] })
})
