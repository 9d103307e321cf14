import { expect, test } from 'vitest'
import { chartOf } from '../../../bench/chart.ts'
import { read } from './pages.ts'

const timing = (name: string, low: number, note = '') => ({ name, note, low, lowRatio: low / 20, median: 0, ratio: 0 })
const TIMINGS = [timing('floor', 20), timing('ours', 30), timing('<x> & y', 200, 'does not check: body')]
const barsOf = (svg: string) =>
  [...svg.matchAll(/<rect class="(\w+)" x="18" y="\d+" width="(\d+)"/g)].map(([, kind, width]) => [kind, Number(width)])

test('the chart has a bar for each timing, as long as its time, with its figures', () => {
  const chart = chartOf('Title', TIMINGS, 'Node.js')
  expect(barsOf(chart)).toEqual([
    ['floor', 69],
    ['ours', 104],
    ['peer', 690]
  ])
  for (const text of ['>20.0 us<', '>30.0 us, x 1.50<', '>200 us, x 10.00<', '  without: body<']) {
    expect(chart).toContain(text)
  }
  expect(chart).toContain('&lt;x&gt; &amp; y: 200.0 microseconds.')
  expect(chart).not.toContain('<x>')
})

test('the chart of the README is one of these, for light and dark pages, with ours beside the floor and others', () => {
  const chart = read('docs/speed.svg')
  const style = /<style>.*<\/style>/s.exec(chartOf('', TIMINGS, ''))![0]
  expect(style).toContain('prefers-color-scheme: dark')
  expect(chart).toContain(style)
  const [floor, ours, ...peers] = barsOf(chart).map(([kind]) => kind)
  expect([floor, ours]).toEqual(['floor', 'ours'])
  expect(peers).toHaveLength(6)
  expect(read('README.md')).toContain('src="docs/speed.svg"')
})
