import { register } from 'prom-client'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../../gateway/src/admin/metrics.ts'
import { CODES } from '../../../src/core/result/codes.ts'
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

test.each(alerts)('$alert asks for metrics that a receiver has, too', ({ alert, expr }) => {
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

/** A dashboard's query to Prometheus, and the labels that it shows. */
interface Target {
  expr: string
  legendFormat: string
}
const dashboard = JSON.parse(read('docs/grafana.json'))
const panels: { id: number; title: string; targets: Target[] }[] = dashboard.panels
const LABELS = { status: 'label', code: 'label', signed: 'label', upstream: 'label', le: 'label' }

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

test('the dashboard shows every metric', () => {
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)))
  expect([...new Set(shown)].sort()).toEqual([
    'signed_requests_responses_total',
    'signed_requests_verdict_duration_seconds_bucket',
    'signed_requests_verdicts_total'
  ])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test('the codes, statuses and values of signed in the dashboard exist', () => {
  const text = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n')
  const values = (label: string) =>
    [...text.matchAll(new RegExp(`\\b${label}(?:!?=|=~)"([^"]+)"`, 'g'))].map(([, value]) => value)
  expect(new Set(values('status'))).toEqual(new Set(['verified', 'rejected', 'unavailable']))
  expect(new Set(values('signed'))).toEqual(new Set(['key', 'key|claimed', 'no']))
})

test('the page has a row for each alert', () => {
  const rows = [...read('docs/operations.md').matchAll(/^\| `(SignedRequests\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(alerts.map(({ alert }) => alert))
})
