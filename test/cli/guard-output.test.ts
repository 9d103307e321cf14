import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { guardOutput } from '../../cli/command.ts'
import type { Line } from '../../src/explain/text.ts'

const NASTY = 'a\x1b]0;x\x07\x9b2J\x7f\u202e\u2066\r\0b\n'

function printed(text: Line, color: boolean): string[] {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const io = guardOutput({ stdin: Readable.from([]), print: write, note: write, color, env: {} })
  io.print(text)
  if (typeof text === 'string') io.note(text)
  return lines
}

test.each([true, false])('the output has no control character and only ASCII (colours: %s)', color => {
  const safe = 'a?]0;x??2J?????b\n'
  expect(printed(NASTY, color)).toEqual([safe, safe])
  expect(printed({ tone: 'good', start: '', rest: NASTY }, color)[0]).toMatch(/a\?]0;x\?\?2J\?{5}b\n$/)
  expect(printed({ tone: 'good', start: NASTY, rest: '' }, false)).toEqual([safe])
})

test('the output has the colour that the writer of a line gives it, where colours are allowed', () => {
  const line = { tone: 'good', start: 'ok', rest: '    https' } as const
  expect(printed(line, true)).toEqual(['\x1b[32mok\x1b[39m    https'])
  expect(printed(line, false)).toEqual(['ok    https'])
  expect(printed('ok    https', true)[0]).toBe('ok    https')
  expect(printed('\x1b[31mred\x1b[39m', true)[0]).toBe('?[31mred?[39m')
})
