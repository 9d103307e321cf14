import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { helpText } from '../../../src/cli/flags.ts'
import { COMMANDS, HELP } from '../../../src/cli/run.ts'

/** docs/command-line.md with the help of every command as it is now. */
export function commandLinePage(page: string): string {
  const names = [...page.matchAll(/<!-- help: (\S+) -->/g)].map(([, name]) => name)
  const missing = [...COMMANDS.keys()].filter(name => !names.includes(name))
  if (missing.length > 0) throw new Error(`docs/command-line.md has no <!-- help: ${missing[0]} -->`)
  return withHelp(page)
}

/** A page with the help of a command as it is now, where `<!-- help: NAME -->` stands before a block. */
export const withHelp = (page: string): string =>
  page.replace(/(<!-- help: (\S+) -->\n+```text\n)(?:.*?\n)??```\n/gs, (_, start: string, name: string) => {
    const command = COMMANDS.get(name)
    if (name !== 'signed-requests' && command === undefined) throw new Error(`there is no command ${name}`)
    const help = command === undefined ? HELP : helpText(name, command)
    return `${start}${help}\n\`\`\`\n`
  })

/** docs/gateway.md with what `signed-requests-gateway --help` prints. */
export const gatewayPage = (page: string, help: string): string =>
  page.replace(
    /(<!-- help -->\n+```text\n).*?\n```\n/s,
    (_, start: string) => `${start}${help.trim()}\n\`\`\`\n`
  )

/** `npm run docs:cli` */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cli = fileURLToPath(new URL('../../../gateway/src/cli.ts', import.meta.url))
  const help = execFileSync(process.execPath, ['--import', 'tsx', cli, '--help'], { encoding: 'utf8' })
  for (const [name, rewrite] of [
    ['command-line.md', commandLinePage],
    ['gateway.md', (page: string) => gatewayPage(page, help)]
  ] as const) {
    const file = new URL(`../../../docs/${name}`, import.meta.url)
    writeFileSync(file, rewrite(readFileSync(file, 'utf8')))
  }
}
