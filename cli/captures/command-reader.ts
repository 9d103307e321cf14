import { assertWithin } from './capture.ts'

/** Takes a text apart from left to right; `count` bounds the parts, and so the time and memory. */
export interface CommandReader {
  /** returns the match of a sticky pattern at this position, and moves behind it */
  take(pattern: RegExp): RegExpExecArray | undefined
  isAtEnd(): boolean
}

export function createCommandReader(text: string): CommandReader {
  let [at, count] = [0, 0]
  return {
    take(pattern) {
      pattern.lastIndex = at
      const found = pattern.exec(text) ?? undefined
      if (found === undefined) return undefined
      at += found[0].length
      assertWithin('parts of a command', ++count)
      return found
    },
    isAtEnd: () => at >= text.length
  }
}
