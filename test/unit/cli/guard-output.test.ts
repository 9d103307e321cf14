import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { guardOutput } from '../../../src/cli/command.ts'

const NASTY = 'a\x1b]0;x\x07\x9b2J\x7f\u202e\u2066\r\0b\n'

function printed(text: string, color: boolean): string[] {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const io = guardOutput({ stdin: Readable.from([]), print: write, note: write, color, env: {} })
  io.print(text)
  io.note(text)
  return lines
}

describe('the output', () => {
  it.each([true, false])('has no control character and only ASCII (colours: %s)', color => {
    expect(printed(NASTY, color)).toEqual(Array(2).fill('a?]0;x??2J?????b\n'))
  })

  it('has colours only where they are allowed', () => {
    expect(printed('ok    https', true)).toEqual(['\x1b[32mok\x1b[39m    https', 'ok    https'])
    expect(printed('ok    https', false)[0]).toBe('ok    https')
    expect(printed('\x1b[31mred\x1b[39m', true)[0]).toBe('?[31mred?[39m')
  })
})
