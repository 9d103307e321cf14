import type { Accepting, Pair } from './accepting.ts'
import type { HeadCosts, Refusing } from './hostile.ts'
import type { BesideBare } from './http/beside-bare.ts'
import type { Timing } from './rounds.ts'
import type { Start } from './start.ts'

/** Marks the figures in a page. */
const BEGIN = '<!-- figures: npm run bench -- --docs -->\n'
const END = '<!-- end of the figures -->\n'

/** Replaces the figures of a page with those of a run. */
export function withFigures(page: string, figures: string): string {
  const [before, rest = ''] = page.split(BEGIN)
  const [, after] = rest.split(END)
  if (before === undefined || after === undefined) throw new Error(`the page has no place for figures: ${BEGIN}${END}`)
  return `${before}${BEGIN}${figures}${END}${after}`
}

const us = (time: number): string => (time < 100 ? time.toFixed(1) : time.toFixed(0))

const row = (label: string, [floor, verdict]: Pair): string =>
  `| ${label} | ${us(floor.low)} us | ${us(verdict.low)} us | ${verdict.lowRatio.toFixed(2)} |\n`

/** Writes the figures of docs/operations.md: accepting, and the cost of a flood. docs/speed.svg shows the first row. */
export function costs(accepting: Accepting, refusing: Refusing, start: Start, node: string): string {
  const { inFlight, body64KB, body1MB, key4096, streamed200KB, streamed1MB, streamed10MB, beside } = accepting
  const [floor, ours] = beside
  const rows = [
    row('1 KB body, 2048-bit key', [floor!, ours!]),
    row('64 in flight', inFlight),
    row('4096-bit key', key4096),
    row('64 KB body', body64KB),
    row('1 MB body', body1MB),
    row('200 KB body, as a stream', streamed200KB),
    row('1 MB body, as a stream', streamed1MB),
    row('10 MB body, as a stream', streamed10MB)
  ]
  const [least, most] = rangeOf(refusing.local)
  const megabyte = (body1MB[1].low - ours!.low) / 1000
  return (
    `| Node.js ${node}, all checks, a key lookup for each request | hash and RSA alone | the verdict | ratio |\n` +
    `|---|---:|---:|---:|\n${rows.join('')}\n` +
    `A megabyte of body takes ${megabyte.toFixed(2)} ms more than a kilobyte. A request that fails a local check takes\n` +
    `${us(least.low)} to ${us(most.low)} us (${least.lowRatio.toFixed(2)} to ${most.lowRatio.toFixed(2)} of hash and RSA alone), ` +
    `in addition to the\ntime that \`node:http\` needs to read it; the most expensive head of 16 KB takes\n` +
    `${us(refusing.draft.most.low)} us by the draft, and ${us(refusing.rfc9421.most.low)} us by RFC 9421.\n\n` +
    `In a new process \`import 'signed-requests'\` takes ${start.import.toFixed(0)} ms, and \`require\` ${start.require.toFixed(0)} ms.\n`
  )
}

/** Writes a goal of accepting, as a row that says when it is missed. */
const goal = (what: string, limit: number, whole: string, { lowRatio }: Timing): string =>
  `| ${what} at most ${limit.toFixed(2)} of ${whole} | ${lowRatio.toFixed(2)}${lowRatio > limit ? ': missed' : ''} |\n`

/** Writes the figures of bench/README.md: the goals of accepting, and the promises of refusing. */
export function promises(
  { beside, body64KB }: Accepting,
  [, handler]: BesideBare,
  { local, draft, rfc9421 }: Refusing
): string {
  const [least, most] = rangeOf(local)
  const floors = (costs: HeadCosts) => costs.most.low / local[0]!.low
  return (
    '| goal or promise | measured |\n|---|---|\n' +
    goal('1 KB body: the verdict takes', 1.35, 'the floor', beside[1]!) +
    goal('64 KB body: the verdict takes', 1.15, 'the floor', body64KB[1]) +
    goal('`nodeHandler`, 1 KB body: a verified request takes', 1.45, 'a bare server', handler) +
    '| a request that fails a local check costs at most 0.35 of the floor | ' +
    `${least.lowRatio.toFixed(2)} to ${most.lowRatio.toFixed(2)}, ${local.length - 1} kinds |\n` +
    '| any head of 16 KB by the draft costs at most 150 us, or 5 floors if that is more | ' +
    `at most ${us(draft.most.low)} us, ${draft.kinds} kinds |\n` +
    '| by RFC 9421 at most 150 us, or 10 floors | ' +
    `at most ${floors(rfc9421).toFixed(1)} floors, ${rfc9421.kinds} kinds |\n` +
    '| twice the head costs at most 2.3 times the time | ' +
    `at most ${Math.max(draft.growth, rfc9421.growth).toFixed(2)}, ${draft.kinds + rfc9421.kinds} kinds |\n`
  )
}

/** Returns the cheapest and the most expensive refusal, without the floor. */
function rangeOf([, ...refusals]: readonly Timing[]): [least: Timing, most: Timing] {
  const sorted = [...refusals].sort((a, b) => a.low - b.low)
  return [sorted[0]!, sorted.at(-1)!]
}
