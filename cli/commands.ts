import { type HelpPage, helpText } from '../flags/help.ts'
import type { Command } from './flags.ts'

/** A command that is loaded when it runs: the list of commands needs only summaries. */
export interface CommandEntry {
  /** its line in the list of commands */
  readonly summary: string
  load(): Promise<Command>
}

export type Commands = Readonly<Record<string, CommandEntry>>

/** The commands, in the order of the help. */
export const COMMANDS: Commands = {
  explain: {
    summary: 'explain why a captured request was refused',
    load: async () => (await import('./all-commands.ts')).explain
  },
  key: {
    summary: 'check a published key, and find out who must fix it',
    load: async () => (await import('./all-commands.ts')).key
  },
  send: {
    summary: 'sign a request and send it to a receiver under development',
    load: async () => (await import('./all-commands.ts')).send
  },
  account: {
    summary: 'print the account id of an access token',
    load: async () => (await import('./all-commands.ts')).account
  },
  demo: {
    summary: 'show the verdicts on good and forged requests',
    load: async () => (await import('./all-commands.ts')).demo
  },
  probe: {
    summary: 'check who answers at a public URL',
    load: async () => (await import('./all-commands.ts')).probe
  }
}

/** Returns the parts of the help of one command. */
export const helpPage = (name: string, { argument, about, flags, examples, exits }: Command): HelpPage => ({
  command: ['signed-requests', name, ...(argument === undefined ? [] : [argument])].join(' '),
  about,
  flags: Object.values(flags),
  variables: 'shared',
  examples,
  exits
})

/** Writes the help of one command. */
export const commandHelp = (name: string, command: Command): string => helpText(helpPage(name, command))

/** Writes the help of the whole command line. */
export const programHelp = (commands: Commands): string =>
  helpText({
    command: 'signed-requests <command>',
    about: ['Tools for receivers of signed HTTP requests.'],
    commands: Object.entries(commands).map(([name, { summary }]) => [name, summary]),
    flags: [],
    variables: 'shared',
    hasVersion: true,
    examples: [EXAMPLE, 'npx signed-requests send --help'],
    exits: EXITS,
    note: 'Colors appear on terminals only, and never with NO_COLOR.'
  })

const EXAMPLE = `\
npx signed-requests explain request.http --domain service.example \\
--host receiver.example --account 1234`

const EXITS = {
  0: 'yes: verified, usable, accepted',
  1: 'no: rejected, unusable, refused',
  2: 'undecided: DNS or a server did not answer',
  64: 'usage error, or a file that cannot be read'
}
