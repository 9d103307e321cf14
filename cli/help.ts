import { type CommandFlag, helpOf, isShared } from '../flags/table.ts'
import { wrapWords } from '../src/tools/index.ts'
import type { Command } from './flags.ts'

/** Spaces before the names of options, commands and exit codes. */
const INDENT = '  '

/** The help of one command. */
export function commandHelp(name: string, command: Command): string {
  const flags = Object.values(command.flags)
  const usage = [
    `Usage: signed-requests ${name}`,
    ...(command.argument === undefined ? [] : [command.argument]),
    ...flags.filter(({ isRequired }) => isRequired).map(({ flag, value }) => `--${flag} ${value}`),
    ...(flags.some(({ isRequired }) => !isRequired) ? ['[options]'] : [])
  ]
  const width = Math.max(...flags.map(flag => written(flag).length), '-h, --help'.length) + 2
  const isAnyShared = flags.some(({ flag }) => isShared(flag))
  return sections(
    usage.join(' '),
    command.about.map(paragraph => wrapWords('', paragraph)).join('\n'),
    [
      'Options:',
      ...flags.map(flag =>
        wrapWords(
          `${isShared(flag.flag) ? '* ' : INDENT}${written(flag).padEnd(width)}`,
          helpOf({ ...flag, ...(flag.preset !== undefined && { fallback: flag.preset }) }, flag.isRequired)
        )
      ),
      `${INDENT}${'-h, --help'.padEnd(width)}print this help`
    ].join('\n'),
    ...(isAnyShared ? [wrapWords('', VARIABLES)] : []),
    ['Examples:', ...command.examples.map(indented)].join('\n'),
    exits(command.exits)
  )
}

const VARIABLES = '* or an environment variable: SIGNED_REQUESTS_DOMAIN for --domain; several values with commas'

const written = ({ flag, value }: CommandFlag): string => `--${flag}${value === undefined ? '' : ` ${value}`}`

const sections = (...parts: readonly string[]): string => parts.join('\n\n')

const indented = (example: string): string => `${INDENT}${example.replaceAll('\n', `\n${INDENT}${INDENT}`)}`

const exits = (meanings: Command['exits']): string =>
  [
    'Exit codes:',
    ...Object.entries(meanings).map(([code, meaning]) => wrapWords(`${INDENT}${code.padEnd(4)}`, meaning))
  ].join('\n')

/** The help of the whole command line. */
export function programHelp(commands: ReadonlyMap<string, Command>): string {
  const row = (name: string, text: string) => wrapWords(`${INDENT}${name.padEnd(13)}`, text)
  return sections(
    'Usage: signed-requests <command> [options]',
    'Verifies signed HTTP requests, and says why one is refused.',
    ['Commands:', ...[...commands].map(([name, { summary }]) => row(name, summary))].join('\n'),
    [
      'Options:',
      row('-h, --help', 'print this help; each command has its own'),
      row('--version', 'print the version')
    ].join('\n'),
    ['Examples:', indented(EXAMPLE), indented('npx signed-requests send --help')].join('\n'),
    exits(EXITS),
    'Colours are for terminals only, and not with NO_COLOR.'
  )
}

const EXAMPLE = `\
npx signed-requests explain request.http --domain service.example \\
--host receiver.example --account 1234`

const EXITS = {
  0: 'yes: verified, usable, accepted',
  1: 'no: rejected, unusable, refused',
  2: 'it cannot be said now: DNS or a server did not answer',
  64: 'a mistake on the command line, or in a file that it names'
}
