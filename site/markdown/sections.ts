import { slugOf, splitPage } from '../../test/meta/docs/pages.ts'

/** A heading with the text below it, up to the next one. */
export interface Section {
  level: number
  heading: string
  anchor: string
  /** the text with its code spans, without blocks of code */
  prose: string
  code: string
}

/** Splits a page at its headings down to `deepest`. */
export function sectionsOf(page: string, text: string, deepest = 4): Section[] {
  const { blocks, prose } = splitPage(page, text)
  const lines = prose.split('\n')
  const anchors = new Set<string>()
  const starts = lines.flatMap((line, at) => {
    const [, marks = '', heading = ''] = /^(#{1,6}) +(.+?) *#*$/.exec(line) ?? []
    if (marks === '') return []
    const slug = slugOf(heading)
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
    return marks.length > deepest ? [] : [{ at, level: marks.length, heading: heading.replaceAll('`', ''), anchor }]
  })
  return starts.map(({ at, level, heading, anchor }, n) => {
    const end = starts[n + 1]?.at ?? lines.length
    const code = blocks.filter(({ line }) => line > at && line <= end).map(block => block.code)
    return { level, heading, anchor, prose: lines.slice(at + 1, end).join('\n'), code: code.join('\n') }
  })
}
