import { nearest } from '../src/internal/command-line.ts'
import { UsageError } from './usage-error.ts'

/**
 * Reports a mistake in the place of a command. A word that is not near a command is not repeated: it can be a secret.
 */
export function unknownCommand(word: string, names: readonly string[]): UsageError {
  if (names.includes(word)) return new UsageError(`${word} must be the first argument; see --help`)
  const meant = nearest(word, names)
  return new UsageError(
    meant === undefined
      ? `there is no such command; the commands are ${names.join(', ')}`
      : `there is no command ${word} (did you mean ${meant}?); see --help`
  )
}
