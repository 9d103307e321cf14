import { expect, it } from 'vitest'
import { createVerifier, type ReceivedRequest } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'

const service = createTestService({ rsaBits: 1024 })
const verify = createVerifier(service.options)
const signed = service.sign({ body: '{}' })
const lines = [...(signed.headers as Iterable<readonly [string, string]>)]

/** The signed request with lines added until there are that many. */
const withLines = (count: number, name: (i: number) => string): ReceivedRequest['headers'] => [
  ...lines,
  ...Array.from({ length: count - lines.length }, (_, i) => [name(i), '1'] as const)
]

it.each([
  ['of different names', (i: number) => `x-${i}`],
  ['of one name', () => 'x-more']
])('a request has at most 500 header lines %s', async (_, name) => {
  const accepted = await verify({ ...signed, headers: withLines(500, name) })
  expect(accepted.status).toBe('verified')

  const headers = withLines(501, name)
  const grouped: Record<string, string[]> = {}
  for (const [name, value] of headers as [string, string][]) grouped[name] = [...(grouped[name] ?? []), value]
  for (const form of [headers, grouped]) {
    expect(await verify({ ...signed, headers: form })).toMatchObject({
      status: 'rejected',
      failures: [{ code: 'request-malformed', evidence: { part: 'header-count' } }]
    })
  }
})
