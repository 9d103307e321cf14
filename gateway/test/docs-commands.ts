import { blocksOf } from '../../test/meta/docs/pages.ts'

/** Returns the block of a page below this comment: the tests run what a reader copies. */
export function blockOfPage(page: string, note: string): string {
  const found = blocksOf(page).filter(block => block.note === note)
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks below <!-- ${note} -->`)
  return found[0]!.code
}

/** Returns a file or a command of docs/gateway.md, below `<!-- file: NAME -->`. */
export const fileOfPage = (name: string): string => blockOfPage('docs/gateway.md', `file: ${name}`)

/** Returns such a file of docs/deploy.md. */
export const deployedFile = (name: string): string => blockOfPage('docs/deploy.md', `file: ${name}`)

/** Returns one of the three commands of "In two minutes", below `<!-- start: NAME -->`. */
export const commandOfPage = (name: string): string => blockOfPage('docs/gateway.md', `start: ${name}`)
