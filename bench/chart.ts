import type { Timing } from './rounds.ts'

const WIDTH = 960
const ROW = 46
const TOP = 64
/** The longest bar leaves space for its figures. */
const LONGEST = 690

/**
 * Draws timings as an SVG for the README, one bar each: the floor, ours, the others. It has a light and a dark form and
 * a description for screen readers.
 */
export function chartOf(title: string, timings: readonly Timing[], measured: string): string {
  const longest = Math.max(...timings.map(({ low }) => low))
  const height = TOP + timings.length * ROW + 14
  const rows = timings.map(({ name, note, low, lowRatio }, i) => {
    const y = TOP + i * ROW
    const width = Math.max(1, Math.round((low / longest) * LONGEST))
    const kind = i === 0 ? 'floor' : i === 1 ? 'ours' : 'peer'
    const value = `${low.toFixed(low < 100 ? 1 : 0)} us${i === 0 ? '' : `, x ${lowRatio.toFixed(2)}`}`
    return `<text x="18" y="${y}">${escapeXml(name)}<tspan class="note">  ${escapeXml(note.replace('does not check:', 'without:'))}</tspan></text>
<rect class="${kind}" x="18" y="${y + 7}" width="${width}" height="16" rx="3"/>
<text class="value" x="${18 + width + 8}" y="${y + 20}">${value}</text>`
  })
  const told = timings.map(({ name, low }) => `${name}: ${low.toFixed(1)} microseconds.`).join(' ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${escapeXml(title)}</title>
<desc id="desc">${escapeXml(told)}</desc>
<style>
  text { font-family: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 14px; white-space: pre }
  .title { font-size: 17px; font-weight: 600 }
  .note { fill: #59636e; font-size: 12px; font-weight: 400 }
  .page { fill: #ffffff }
  .floor { fill: #59636e }
  .ours { fill: #1a7f37 }
  .peer { fill: #b6bec7 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .note { fill: #9198a1 }
    .page { fill: #0d1117 }
    .floor { fill: #9198a1 }
    .ours { fill: #3fb950 }
    .peer { fill: #3d444d }
  }
</style>
<rect class="page" width="100%" height="100%" rx="8"/>
<text class="title" x="18" y="30">${escapeXml(title)}<tspan class="note">  ${escapeXml(measured)}</tspan></text>
${rows.join('\n')}
</svg>
`
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
