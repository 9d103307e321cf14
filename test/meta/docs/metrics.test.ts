import { register } from 'prom-client'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../../gateway/src/admin/metrics.ts'
import { CODES } from '../../../src/result/codes.ts'
import { PAGES, read } from './pages.ts'

/** A table, its index and an upstream of nginx. */
const OTHERS = /^signed_requests_(?:replay(?:_expires_at)?|gateway)$/
const namesIn = (text: string) => [...new Set(text.match(/\bsigned_requests_\w+/g))].sort()

interface Rule {
  alert: string
  expr: string
}
const rules: Rule[] = parse(read('docs/alerts.yml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)

/** What a /metrics has without a request: the samples of a histogram with labels are not there yet. */
const exposedBy = (metrics: string) =>
  [...metrics.matchAll(/^# TYPE (signed_requests_\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map(part => `${name}_${part}`).concat(name) : [name]
  )
let example: string[]
let gateway: string[]
const metrics = createMetrics()
beforeAll(async () => {
  await import('../../../examples/metrics.ts')
  example = exposedBy(await register.metrics())
  gateway = exposedBy(await metrics.registry.metrics())
})

test('the gateway has the metrics of the example, under the same names', () => {
  expect(example).toHaveLength(5)
  expect(gateway).toEqual(expect.arrayContaining(example))
})

test.each([...PAGES, 'gateway/README.md', 'docs/alerts.yml'])('every metric that %s names exists', page => {
  expect(namesIn(read(page)).filter(name => !OTHERS.test(name) && !gateway.includes(name))).toEqual([])
})

test.each(rules)('$alert asks for metrics that a receiver has, too', ({ alert, expr }) => {
  expect(namesIn(expr)).not.toEqual([])
  const exposed = alert === 'SignedRequestsUpstream' ? gateway : example
  expect(namesIn(expr).filter(name => !exposed.includes(name))).toEqual([])
})

test('the codes and statuses in the rules exist', () => {
  const values = (label: string) =>
    rules.flatMap(({ expr }) =>
      [...expr.matchAll(new RegExp(`\\b${label}(?:=~?|!=|!~)"([^"]+)"`, 'g'))].flatMap(([, list]) => list!.split('|'))
    )
  expect(values('code').filter(code => !(code in CODES))).toEqual([])
  expect(new Set(values('status'))).toEqual(new Set(['verified', 'rejected', 'unavailable']))
})

test('the page has a row for each alert', () => {
  const rows = [...read('docs/operations.md').matchAll(/^\| `(SignedRequests\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(rules.map(({ alert }) => alert))
})
