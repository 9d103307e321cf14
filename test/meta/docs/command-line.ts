import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { formatTable } from '../../../cli/captures/formats.ts'
import { COMMANDS, helpPage, programHelp } from '../../../cli/commands.ts'
import type { CommandFlag } from '../../../flags/flag.ts'
import { flagList, flagText, type HelpPage, helpText } from '../../../flags/help.ts'
import { SHARED } from '../../../flags/table.ts'
import { AUTHORIZE_HELP, GATEWAY_HELP } from '../../../gateway/src/options/command-line.ts'

/** Puts a text into its marked block of a page. */
const withText = (page: string, marker: string, text: string): string => {
  const start = `<!-- help: ${marker} -->\n`
  const [before, rest = ''] = page.split(start)
  const fence = rest.slice(0, rest.indexOf('```text\n') + '```text\n'.length)
  const after = rest.slice(rest.indexOf('\n```\n', fence.length))
  return `${before}${start}${fence}${text.trimEnd()}${after}`
}

/** Puts the table of formats below its marker. */
function withTable(page: string, table: string): string {
  const start = '<!-- formats -->\n'
  const [before, rest = ''] = page.split(start)
  return `${before}${start}${table}${rest.slice(rest.indexOf('\n\n'))}`
}

const helps: readonly HelpPage[] = [
  ...(await Promise.all(Object.entries(COMMANDS).map(async ([name, { load }]) => helpPage(name, await load())))),
  GATEWAY_HELP,
  AUTHORIZE_HELP
]

/** The page lists these once: flags that several commands describe in the same words. */
const shared = Object.values(SHARED).filter(({ flag }, i, all) => all.findIndex(other => other.flag === flag) === i)
const isListed = (spec: CommandFlag): boolean =>
  shared.some(other => other.flag === spec.flag && flagText(other) === flagText(spec))
const inSeveral = ({ flag }: CommandFlag): boolean =>
  helps.filter(({ flags }) => flags.some(spec => spec.flag === flag && isListed(spec))).length > 1

/** Writes a help text without the flags that the page lists already; their names stay. */
function ownHelp(help: HelpPage): string {
  const ofGateway = help === AUTHORIZE_HELP ? GATEWAY_HELP.flags.map(describe) : []
  const isAbove = (spec: CommandFlag) =>
    (isListed(spec) && inSeveral(spec)) || (!spec.isRequired && ofGateway.includes(describe(spec)))
  const names = help.flags.filter(isAbove).map(({ flag }) => `--${flag}`)
  if (names.length === 0) return helpText(help)
  return helpText({
    ...help,
    flags: help.flags.filter(spec => !isAbove(spec)),
    note: `Listed above: ${names.join(', ')}`
  })
}

const describe = (spec: CommandFlag): string => `--${spec.flag} ${spec.value}: ${flagText(spec)}`

/** Returns docs/command-line.md with the help of each command of both programs. */
export async function commandLinePage(page: string): Promise<string> {
  let text = withTable(page, formatTable())
  text = withText(text, 'signed-requests', programHelp(COMMANDS))
  text = withText(text, 'shared options', flagList(shared.filter(inSeveral), 'shared'))
  for (const help of helps) text = withText(text, nameOf(help), ownHelp(help))
  return text
}

/** Returns the name of a command without its argument: `explain`, `signed-requests-gateway authorize`. */
const nameOf = ({ command }: HelpPage): string => command.replace(/^signed-requests /, '').replace(/ [^a-z].*$/, '')

/** `npm run docs:cli` runs this. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../../../docs/command-line.md', import.meta.url)
  writeFileSync(file, await commandLinePage(readFileSync(file, 'utf8')))
}
