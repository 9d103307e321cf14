import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { helpText } from '../../../src/cli/flags.ts'
import { COMMANDS, HELP } from '../../../src/cli/run.ts'
import { commandLinePage } from '../../meta/docs/command-line.ts'

const HELPS = [
  ['signed-requests', HELP],
  ...[...COMMANDS].map(([name, command]): [string, string] => [name, helpText(name, command)])
] as [string, string][]

describe.each(HELPS)('the help of %s', (_, help) => {
  it('fits into 80 columns of printable ASCII', () => {
    expect(help).toMatch(/^[\n -~]*$/)
    expect(Math.max(...help.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  })

  it('has usage, options, examples and exit codes, in this order', () => {
    expect(help).toMatch(
      /^Usage: signed-requests .*\n\nOptions:\n[ *] -.*\n\nExamples:\n {2}npx .*\n\nExit codes:\n {2}0 /s
    )
    const codes = [...help.split('Exit codes:\n')[1]!.matchAll(/^ {2}(\d+) /gm)].map(([, code]) =>
      Number(code)
    )
    expect(codes).toEqual([0, 1, 2, 64])
  })
})

it('the same option means the same in every command', () => {
  const options = new Map<string, string>()
  for (const name of ['--prefix', '--dns-server', '--json', '--help']) {
    for (const [, help] of HELPS.slice(1)) {
      const text = help
        .split('Options:\n')[1]!
        .match(new RegExp(`^[ *] (?:-h, )?${name} (?:.|\\n)*?(?=\\n(?:[ *] -|\\n))`, 'm'))?.[0]
        ?.slice(1)
      if (text !== undefined) expect(text).toBe(options.get(name) ?? text)
      if (text !== undefined) options.set(name, text)
    }
  }
  expect([...options.keys()]).toHaveLength(4)
})

it('the page of the documentation is what npm run docs:cli writes', () => {
  const page = readFileSync(new URL('../../../docs/command-line.md', import.meta.url), 'utf8')
  expect(page).toBe(commandLinePage(page))
})
