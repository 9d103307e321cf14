/**
 * Exports what a command line loads before it knows its command. A bundle loads all modules that one module exports
 * from, so these names have one of their own: `--help` loads little of the library.
 */

export { messageIn, nearest } from '../core/mistakes.ts'
export { OPTIONS, type OptionName } from '../core/options/options.ts'
export { FLAG_NAMES } from '../explain/settings.ts'
export { escapeText, wrapWords } from '../explain/text.ts'
