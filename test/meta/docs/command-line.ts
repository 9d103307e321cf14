import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { formatTable } from '../../../cli/captures/formats.ts'
import { COMMANDS, commandHelp, programHelp } from '../../../cli/commands.ts'

/** Puts the help of a command into its marked block of a page. */
const withHelp = (page: string, marker: string, help: string): string => {
  const start = `<!-- ${marker} -->\n`
  const [before, rest = ''] = page.split(start)
  const fence = rest.slice(0, rest.indexOf('```text\n') + '```text\n'.length)
  const after = rest.slice(rest.indexOf('\n```\n', fence.length))
  return `${before}${start}${fence}${help.trim()}${after}`
}

/** Puts the table of formats below its marker. */
function withTable(page: string, table: string): string {
  const start = '<!-- formats -->\n'
  const [before, rest = ''] = page.split(start)
  return `${before}${start}${table}${rest.slice(rest.indexOf('\n\n'))}`
}

/** Returns docs/gateway.md with the output of `signed-requests-gateway --help`. */
export const gatewayPage = (page: string, help: string): string => withHelp(page, 'help', help)

/** Returns docs/command-line.md with the output of `signed-requests --help` and the help of each command. */
export async function commandLinePage(page: string): Promise<string> {
  let text = withTable(page, formatTable())
  text = withHelp(text, 'help: signed-requests', programHelp(COMMANDS))
  for (const [name, { load }] of Object.entries(COMMANDS))
    text = withHelp(text, `help: ${name}`, commandHelp(name, await load()))
  return text
}

/** `npm run docs:cli` runs this. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cli = fileURLToPath(new URL('../../../gateway/src/cli.ts', import.meta.url))
  const help = execFileSync(process.execPath, ['--import', 'tsx', cli, '--help'], { encoding: 'utf8' })
  const change = async (name: string, edit: (page: string) => string | Promise<string>) => {
    const file = new URL(`../../../docs/${name}`, import.meta.url)
    writeFileSync(file, await edit(readFileSync(file, 'utf8')))
  }
  await change('gateway.md', page => gatewayPage(page, help))
  await change('command-line.md', commandLinePage)
}
