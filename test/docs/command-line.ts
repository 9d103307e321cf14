import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { COMMANDS, HELP } from '../../src/cli/run.ts'

/** The page with the help of each command as it is now, where `<!-- help: NAME -->` stands before a block. */
export function commandLinePage(page: string): string {
  const names = [...page.matchAll(/<!-- help: (\S+) -->/g)].map(([, name]) => name)
  const missing = [...COMMANDS.keys()].filter(name => !names.includes(name))
  if (missing.length > 0) throw new Error(`docs/command-line.md has no <!-- help: ${missing[0]} -->`)
  return page.replace(
    /(<!-- help: (\S+) -->\n+```text\n)(?:.*?\n)??```\n/gs,
    (_, start: string, name: string) => {
      const help = name === 'signed-requests' ? HELP : COMMANDS.get(name)?.help
      if (help === undefined) throw new Error(`there is no command ${name}`)
      return `${start}${help}\n\`\`\`\n`
    }
  )
}

/** `npm run docs:cli` */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../../docs/command-line.md', import.meta.url)
  writeFileSync(file, commandLinePage(readFileSync(file, 'utf8')))
}
