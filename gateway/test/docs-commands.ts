import { blocksOf } from '../../test/meta/docs/pages.ts'

/** The block of docs/gateway.md below this comment: what a reader copies is what the tests run. */
function blockOfPage(note: string): string {
  const found = blocksOf('docs/gateway.md').filter(block => block.note === note)
  if (found.length !== 1) throw new Error(`docs/gateway.md has ${found.length} blocks below <!-- ${note} -->`)
  return found[0]!.code
}

/** A file or a command of the page, below `<!-- file: NAME -->`. */
export const fileOfPage = (name: string): string => blockOfPage(`file: ${name}`)

/** One of the three commands of "In two minutes", below `<!-- start: NAME -->`. */
export const commandOfPage = (name: string): string => blockOfPage(`start: ${name}`)
