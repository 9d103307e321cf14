import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { read } from '../meta/docs/pages.ts'

interface Rule {
  readonly alert?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: { readonly summary: string }
}

/** The alerts of docs/alerts.yml. */
export const ALERTS: readonly Rule[] = parse(read('docs/alerts.yml')).groups[0].rules.filter(({ alert }: Rule) => alert)

/** A time series in promtool's notation: `0+60x59` is sixty samples, each 60 more than the one before. */
export interface Series {
  readonly series: string
  readonly values: string
}

/** The alerts that are firing at a time, by name, each with its code or true. */
export type Firing = Readonly<Record<string, string | true>>
export const NONE: Firing = {}

export interface AlertCase {
  readonly name: string
  readonly series: readonly Series[]
  /** seconds between samples; 60 by default */
  readonly every?: number
  readonly firing: Readonly<Record<string, Firing>>
}

/** Writes a case as promtool takes it: each alert must be silent unless it is named. */
const promtoolCase = ({ name, series, every = 60, firing }: AlertCase) => ({
  name,
  interval: `${every}s`,
  input_series: series,
  alert_rule_test: Object.entries(firing).flatMap(([time, names]) =>
    ALERTS.map(({ alert = '', labels = {}, annotations }) => {
      const code = names[alert.replace('SignedRequests', '')]
      const more = code === undefined || code === true ? {} : { code }
      const own = alert === 'SignedRequestsNotScraped' ? { status: 'verified' } : {}
      const summary = annotations!.summary.replace('{{ $labels.code }}', String(code))
      const expected = { exp_labels: { ...labels, ...own, ...more }, exp_annotations: { summary } }
      return { eval_time: time, alertname: alert, exp_alerts: code === undefined ? [] : [expected] }
    })
  )
})

/** Evaluates the alerts of docs/alerts.yml with promtool; its output has SUCCESS where the case holds. */
export function askPromtool(one: AlertCase): string {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
  const file = join(folder, 'case.yml')
  const rules = fileURLToPath(new URL('../../docs/alerts.yml', import.meta.url))
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '30s', tests: [promtoolCase(one)] }))
  const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return `${stdout}${stderr}`
}
