import { blocksOf } from '../docs/pages.ts'

const blocks = blocksOf('docs/gateway.md')

/** The block of docs/gateway.md below `<!-- file: NAME -->`: what a reader copies is what the tests run. */
export function fileOfPage(name: string): string {
  const found = blocks.filter(({ note }) => note === `file: ${name}`)
  if (found.length !== 1) throw new Error(`docs/gateway.md has ${found.length} blocks for ${name}`)
  return found[0]!.code
}
