/** Limits the characters: search engines show about as many. */
const MAX = 160

/** Returns the first sentences of a page as plain text; undefined for a page that begins with something else. */
export function descriptionOf(markdown: string): string | undefined {
  const paragraph = markdown
    .split(/\n{2,}/)
    .find(block => /^[A-Z`*]/.test(block) && !/^\[All pages\]/.test(block))
    ?.replace(/\]\([^)]*\)/g, ']')
    .replace(/[`*[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (paragraph === undefined || paragraph.length <= MAX) return paragraph
  const end = paragraph.lastIndexOf('. ', MAX)
  return end > MAX / 3 ? paragraph.slice(0, end + 1) : `${paragraph.slice(0, paragraph.lastIndexOf(' ', MAX))} ...`
}
