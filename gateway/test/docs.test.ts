import { describe, expect, test } from 'vitest'
import { CODES } from '../../src/verdict/codes.ts'
import { gatewayPage } from '../../test/meta/docs/command-line.ts'
import { read } from '../../test/meta/docs/pages.ts'
import { createMetrics } from '../src/admin/metrics.ts'

const page = read('docs/gateway.md')

test('the help is what --help prints: npm run docs:cli', () => {
  expect(page).toContain('<!-- help -->')
  expect(gatewayPage(page)).toBe(page)
})

test('every flag with its variable in the table has the right one', () => {
  const rows = [...page.matchAll(/^\| `--([a-z-]+)[^`]*` \| `SIGNED_REQUESTS_(\w+)=[^`]+` \|$/gm)]
  expect(rows.length).toBeGreaterThan(2)
  for (const [, flag, variable] of rows) expect(variable).toBe(flag!.toUpperCase().replaceAll('-', '_'))
})

test('the metrics are those of the gateway', async () => {
  const metrics = createMetrics()
  const own = (await metrics.registry.getMetricsAsJSON()).filter(({ name }) =>
    name.startsWith('signed_requests_')
  )
  expect(own.map(({ name }) => name)).toEqual(
    [...page.matchAll(/^\| `(signed_requests_\w+)` \|/gm)].map(([, name]) => name)
  )
  metrics.close()
})

describe('the codes that the page mentions exist', () => {
  const mentioned = [...page.matchAll(/`(?:rejected|unavailable); ([\w, -]+)`/g)].flatMap(([, codes]) =>
    codes!.split(', ')
  )
  test.each(mentioned)('%s', code => expect(CODES).toHaveProperty(code))
})
