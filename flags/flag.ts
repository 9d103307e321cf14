/** One flag of a command line. */
export interface Flag {
  /** without its two dashes */
  readonly flag: string
  /** a switch takes no value, a list may be repeated, a number is a whole one */
  readonly kind: 'text' | 'list' | 'number' | 'switch'
  /** the placeholder of the value in a help text, such as NAME */
  readonly value?: string
  /** the words to choose from; any text is taken without them */
  readonly choices?: readonly string[]
  readonly about: string
  /** the default, for the help text */
  readonly fallback?: string | number
  /** the flags that cannot be given with it */
  readonly excludes?: readonly string[]
  /** the flag that must be given with it */
  readonly needs?: string
}

/** Makes a value of the text of a flag; undefined when the text is not what `expects` says. */
export interface Parse<T> {
  /** `an IP address and a port, such as 127.0.0.1:8080` */
  readonly expects: string
  parse(text: string): T | undefined
}

/** A flag of one command; without `parse` its value is as its kind says. */
export interface CommandFlag extends Flag, Partial<Parse<unknown>> {
  /** the value when the flag is not given */
  readonly preset?: string
  readonly isRequired?: true
  /** it is required where this switch is not given */
  readonly requiredWithout?: string
  /** it is about one run, and never an environment variable */
  readonly isCommandLineOnly?: true
  /** it is a secret, which other users could see in the arguments of the process */
  readonly isVariableOnly?: true
}

/** The flags of a command, by the names under which it gets their values. */
export type Flags = Readonly<Record<string, CommandFlag>>

type TextOf<F extends Flag> = F extends { choices: readonly (infer Choice)[] } ? Choice : string

/** The type of the value that a command gets for a flag. */
type ValueOf<F extends CommandFlag> =
  F extends Parse<infer T>
    ? T
    : F['kind'] extends 'switch'
      ? boolean
      : F['kind'] extends 'list'
        ? readonly TextOf<F>[]
        : F['kind'] extends 'number'
          ? number
          : TextOf<F>

/** The values of the flags of a command. */
export type Values<F extends Flags> = {
  readonly [N in keyof F]: ValueOf<F[N]> | (F[N] extends { preset: string } | { isRequired: true } ? never : undefined)
}

/** Selects some rows of a table. */
export const pick = <T extends object, N extends keyof T & string>(table: T, ...names: readonly N[]): Pick<T, N> =>
  Object.fromEntries(names.map(name => [name, table[name]])) as Pick<T, N>

/** Returns every row of a table but some. */
export const omit = <T extends object, N extends keyof T & string>(table: T, ...names: readonly N[]): Omit<T, N> =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !names.includes(name as N))) as Omit<T, N>

export const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[]
