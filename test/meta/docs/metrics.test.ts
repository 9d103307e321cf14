import { register } from 'prom-client'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics, STORE_PROBLEMS } from '../../../gateway/src/admin/metrics.ts'
import { CLOCK_SOURCES } from '../../../gateway/src/clock.ts'
import { UPSTREAM_LABELS } from '../../../gateway/src/exchange.ts'
import { SIGNERS } from '../../../gateway/src/signer.ts'
import { CODES } from '../../../src/core/result/codes.ts'
import { createVerifier, type Verdict } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { PAGES, read } from './pages.ts'

/** These are a table, its index and an upstream of nginx. */
const OTHERS = /^signed_requests_(?:replay(?:_expires_at)?|gateway)$/
const namesIn = (text: string) => [...new Set(text.match(/\bsigned_requests_\w+/g))].sort()

/** A rule records a series, or raises an alert. */
interface Rule {
  alert?: string
  expr: string
}
const rules: Rule[] = parse(read('docs/alerts.yml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)

/** Returns the names in a /metrics before any request: a histogram with labels has no samples yet. */
const exposedBy = (metrics: string) =>
  [...metrics.matchAll(/^# TYPE (signed_requests_\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map(part => `${name}_${part}`).concat(name) : [name]
  )
let example: string[]
let gateway: string[]
const metrics = createMetrics(() => ({ store: undefined, signatures: undefined }))
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

test.each(alerts)('$alert asks for metrics that a receiver has, too', ({ alert, expr }) => {
  const exposed = alert === 'SignedRequestsUpstream' ? gateway : example
  expect(namesIn(expr).filter(name => !exposed.includes(name))).toEqual([])
})

/** A dashboard's query to Prometheus, and the labels that it shows. */
interface Target {
  expr: string
  legendFormat: string
}
const dashboard = JSON.parse(read('docs/grafana.json'))
const panels: { id: number; title: string; targets: Target[] }[] = dashboard.panels
const STATUSES = { verified: true, rejected: true, unavailable: true } satisfies Record<Verdict['status'], true>

/** The values of every label; `le` is Prometheus's own. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  ...{ status: Object.keys(STATUSES), code: Object.keys(CODES), signed: SIGNERS, upstream: UPSTREAM_LABELS },
  ...{ problem: STORE_PROBLEMS, source: CLOCK_SOURCES, le: [] }
}

test.each([...rules, ...panels.flatMap(({ targets }) => targets)])('every label value in $expr exists', ({ expr }) => {
  const compared = [...expr.matchAll(/\b(\w+)(?:!?=|[=!]~)"([^"]+)"/g)].flatMap(([, label = '', values = '']) =>
    values.split('|').map(value => ({ label, value }))
  )
  expect(compared.filter(({ label, value }) => !LABELS[label]?.includes(value))).toEqual([])
})

test('the example has the values of signed that the gateway has', async () => {
  const service = createTestService()
  const verify = createVerifier(service.options)
  await verify(service.sign({}))
  await verify(service.sign({ date: 0 }))
  await verify({ method: 'GET', target: '/', headers: [], body: null, https: true })
  const { values } = await register.getSingleMetric('signed_requests_verdicts_total')!.get()
  expect(new Set(values.map(({ labels }) => labels['signed']))).toEqual(new Set(SIGNERS))
})

test.each(panels)('the panel "$title" asks for metrics and labels that exist', ({ targets }) => {
  for (const { expr, legendFormat } of targets) {
    expect(namesIn(expr)).toHaveLength(1)
    expect(namesIn(expr).filter(name => !gateway.includes(name))).toEqual([])
    const inBraces = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = '']) => list.match(/\w+(?=!?=)/g) ?? [])
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)
    expect([...inBraces, ...grouped, ...shown].filter(name => !Object.hasOwn(LABELS, name))).toEqual([])
    expect(shown.filter(name => !grouped.includes(name))).toEqual([])
  }
})

test('the dashboard shows every metric of the gateway', () => {
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)))
  const own = metrics.registry.getMetricsAsArray().flatMap(({ name }) => namesIn(name))
  expect([...new Set(shown.map(name => name.replace(/_(?:bucket|sum|count)$/, '')))].sort()).toEqual(own.sort())
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test('the page has a row for each alert', () => {
  const rows = [...read('docs/operations.md').matchAll(/^\| `(SignedRequests\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(alerts.map(({ alert }) => alert))
})
