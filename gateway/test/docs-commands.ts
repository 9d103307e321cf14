import { blocksOf } from '../../test/meta/docs/pages.ts'

/** The block of a page below this comment: what a reader copies is what the tests run. */
export function blockOfPage(page: string, note: string): string {
  const found = blocksOf(page).filter(block => block.note === note)
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks below <!-- ${note} -->`)
  return found[0]!.code
}

/** A file or a command of docs/gateway.md, below `<!-- file: NAME -->`. */
export const fileOfPage = (name: string): string => blockOfPage('docs/gateway.md', `file: ${name}`)

/** The same of docs/deploy.md. */
export const deployedFile = (name: string): string => blockOfPage('docs/deploy.md', `file: ${name}`)

/** One of the three commands of "In two minutes", below `<!-- start: NAME -->`. */
export const commandOfPage = (name: string): string => blockOfPage('docs/gateway.md', `start: ${name}`)
