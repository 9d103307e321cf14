import { expect, test } from 'vitest'
import { read } from './pages.ts'

const figure = (text: string, pattern: RegExp): string | undefined => pattern.exec(text)?.[1]

test('docs/speed.svg and the first row of the table in docs/operations.md are of one run', () => {
  const chart = read('docs/speed.svg')
  const page = read('docs/operations.md')
  const [, floor, verdict] = /^\| 1 KB body, 2048-bit key \| ([\d.]+) us \| ([\d.]+) us \|/m.exec(page) ?? []
  expect(floor).toBe(figure(chart, /verify the signature: ([\d.]+) microseconds/))
  expect(verdict).toBe(figure(chart, /signed-requests: ([\d.]+) microseconds/))
  expect(figure(page, /^\| Node\.js ([\d.]+), all checks/m)).toBe(figure(chart, /Node\.js v([\d.]+);/))
})

test.each(['docs/operations.md', 'docs/threat-model.md', 'bench/README.md'])(
  '%s has figures only where npm run bench writes them',
  name => {
    const outside = read(name).replace(
      /<!-- figures: npm run bench -- --docs -->[\s\S]*?<!-- end of the figures -->/,
      ''
    )
    expect(outside).not.toBe(read(name))
    expect(outside).not.toMatch(/\bfails? a local check[^.]*\d us|\d ms for a megabyte/)
  }
)

test('the goals of bench/README.md are of the run that docs/operations.md shows, and one that is missed says so', () => {
  const page = read('docs/operations.md')
  const goals = [
    ...read('bench/README.md').matchAll(/^\| (\d+ KB body): .* at most ([\d.]+) .*\| ([\d.]+)(: missed)? \|$/gm)
  ]
  expect(goals).toHaveLength(2)
  for (const [, body, limit, measured, missed] of goals) {
    expect(measured).toBe(figure(page, new RegExp(`^\\| ${body}\\b.* us \\| ([\\d.]+) \\|$`, 'm')))
    expect(missed !== undefined).toBe(Number(measured) > Number(limit))
  }
})

test('the most expensive head by the draft is one figure on both pages', () => {
  const head = figure(read('docs/operations.md'), /takes\s+([\d.]+) us by the draft/)
  expect(head).toBe(figure(read('bench/README.md'), /any head of 16 KB by the draft.*at most ([\d.]+) us,/))
})
