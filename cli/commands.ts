import { type HelpPage, helpText } from '../flags/help.ts'
import type { Command } from './flags.ts'

/** A command that is loaded when it is asked for: the list of commands needs only summaries. */
export interface CommandEntry {
  /** its line in the list of commands */
  readonly summary: string
  load(): Promise<Command>
}

export type Commands = Readonly<Record<string, CommandEntry>>

/** The commands, in the order of the help. */
export const COMMANDS: Commands = {
  explain: {
    summary: 'say why a captured request is refused',
    load: async () => (await import('./all-commands.ts')).explain
  },
  key: {
    summary: 'check that a key is published, and say who must fix what',
    load: async () => (await import('./all-commands.ts')).key
  },
  send: {
    summary: 'sign a request and send it to a receiver under development',
    load: async () => (await import('./all-commands.ts')).send
  },
  account: {
    summary: 'print the account id that an access token belongs to',
    load: async () => (await import('./all-commands.ts')).account
  },
  demo: {
    summary: 'show good and forged requests, and the verdict on each',
    load: async () => (await import('./all-commands.ts')).demo
  },
  probe: {
    summary: 'find out whether a receiver is reached, or who answers instead',
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
    about: ['Verifies signed HTTP requests, and says why one is refused.'],
    commands: Object.entries(commands).map(([name, { summary }]) => [name, summary]),
    flags: [],
    variables: 'shared',
    hasVersion: true,
    examples: [EXAMPLE, 'npx signed-requests send --help'],
    exits: EXITS,
    note: 'Colours are shown on terminals only, and never with NO_COLOR.'
  })

const EXAMPLE = `\
npx signed-requests explain request.http --domain service.example \\
--host receiver.example --account 1234`

const EXITS = {
  0: 'yes: verified, usable, accepted',
  1: 'no: rejected, unusable, refused',
  2: 'undecided: DNS or a server did not answer',
  64: 'a mistake on the command line, or in a file that it names'
}
