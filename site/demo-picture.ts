import { runInside } from '../test/support/run-cli.ts'

/** Sizes in pixels: a character, a line, the margin. */
const [CHARACTER, LINE, MARGIN] = [8.4, 20, 18]
const COLUMNS = 80

/** Maps the codes that the command line prints on a terminal to the classes of the picture. */
const CLASSES: Readonly<Record<string, string>> = { 1: 'label', 2: 'aside', 31: 'bad', 32: 'good', 33: 'undecided' }

/**
 * Draws the terminal output of `signed-requests demo`: the table, and the line that was changed. It has a light and a
 * dark form and a description for screen readers.
 */
export async function demoPicture(): Promise<string> {
  const { stdout } = await runInside(['demo'], '', true)
  const [shown = ''] = /^[\s\S]*?\n {2}received: .*$/m.exec(stdout) ?? []
  const lines = ['\x1b[1m$ npx signed-requests demo\x1b[22m', '', ...withFixedPorts(shown).split('\n')]
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN]
  const rows = lines.map((line, i) => svgLine(line, MARGIN + (i + 1) * LINE - 5)).filter(row => row !== '')
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">signed-requests demo</title>
<desc id="desc">${escapeXml(descriptionOf(shown))}</desc>
<style>
  text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; fill: #1f2328; font-size: 14px; white-space: pre }
  .page { fill: #f6f8fa }
  .label { font-weight: 600 }
  .aside { fill: #59636e }
  .good { fill: #1a7f37 }
  .bad { fill: #cf222e }
  .undecided { fill: #9a6700 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .page { fill: #0d1117 }
    .aside { fill: #9198a1 }
    .good { fill: #3fb950 }
    .bad { fill: #ff7b72 }
    .undecided { fill: #d29922 }
  }
</style>
<rect class="page" width="100%" height="100%" rx="8"/>
${rows.join('\n')}
</svg>
`
}

/** The ports differ from run to run. */
const withFixedPorts = (text: string): string =>
  text.replace(/127\.0\.0\.1:\d+(?= over)/, '127.0.0.1:5353').replace(/127\.0\.0\.1:\d+(?=, for)/, '127.0.0.1:8443')

/** Draws a line with each part at its column, whatever font the reader has. */
function svgLine(line: string, y: number): string {
  const parts: { kind: string; text: string }[] = []
  // Each match is the text before a code, and the code.
  let kind = ''
  for (const [, text = '', code = ''] of line.matchAll(/([^\x1b]*)(?:\x1b\[(\d+)m|$)/g)) {
    const last = parts.at(-1)
    if (last?.kind === kind) last.text += text
    else if (text !== '') parts.push({ kind, text })
    kind = CLASSES[code] ?? ''
  }
  let column = 0
  const spans = parts.map(({ kind, text }) => {
    const at = column + text.length - text.trimStart().length
    column += text.length
    const named = kind === '' ? '' : ` class="${kind}"`
    return text.trim() === '' ? '' : `<tspan x="${xOf(at)}"${named}>${escapeXml(text.trim())}</tspan>`
  })
  return spans.join('') && `<text y="${y}">${spans.join('')}</text>`
}

const xOf = (column: number): number => Math.round(MARGIN * 10 + column * CHARACTER * 10) / 10

function descriptionOf(text: string): string {
  const rows = text.matchAll(/^\x1b\[\d+m(\d{3}) {3}(.{22})\x1b.*?([a-z-]*)(?:\x1b\[39m)?$/gm)
  return [...rows]
    .map(([, status, name, code]) => `${name!.trim()}: ${status}${code === '' ? '' : `, ${code}`}.`)
    .join(' ')
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
