import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createAccountClient } from '../../../src/account/index.ts'
import { makeCertificate } from '../../support/https.ts'
import { expectNoSecret } from './leaks.ts'
import { type Service, startService } from './service.ts'

let service: Service
let certificate: string
let folder: string

beforeAll(async () => {
  const { key, cert } = await makeCertificate('127.0.0.1')
  service = await startService({ key, cert })
  folder = await mkdtemp(join(tmpdir(), 'account-'))
  certificate = join(folder, 'cert.pem')
  await writeFile(certificate, cert)
})
afterAll(async () => {
  expect(service.violations).toEqual([])
  await service.close()
  await rm(folder, { recursive: true })
})

test('connects over TLS with a trusted certificate', async () => {
  const script = join(inject('bundles'), 'dist/https-child.js')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [script, service.authUrl, service.baseUrl, service.accessToken],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate }, timeout: 50_000 }
  )
  expect(JSON.parse(stdout)).toEqual({ accountId: '4711', accepts: true, url: '/v4/things' })
  expect(service.posts).toBe(1)
})

test('rejects an untrusted certificate with account-network before it sends the token', async () => {
  const before = service.posts
  const { authUrl, baseUrl, accessToken } = service
  const client = createAccountClient({ authUrl, baseUrl, accessToken })
  const error = await client.authorization().catch(error => error)
  expect(error).toMatchObject({ code: 'account-network', retryable: true })
  expect(error.message).toContain('(DEPTH_ZERO_SELF_SIGNED_CERT)')
  expectNoSecret(error, [accessToken])
  expect(service.posts).toBe(before)
})
