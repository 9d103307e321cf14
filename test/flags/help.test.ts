import { describe, expect, test } from 'vitest'
import { COMMANDS, commandHelp } from '../../cli/commands.ts'
import { OTHERS } from '../../cli/flags.ts'
import type { Flags } from '../../flags/flag.ts'
import { parseFlags } from '../../flags/parse.ts'
import { variableOf } from '../../flags/variables.ts'
import { authorizeHelp, gatewayHelp, parseAuthorize, parseGateway } from '../../gateway/src/options/command-line.ts'
import { AUTHORIZE, GATEWAY } from '../../gateway/src/options/flags.ts'

interface Helped {
  readonly name: string
  readonly help: string
  readonly flags: Flags
  parse(args: readonly string[]): { readonly asked: unknown }
}

const commands = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, { load }]): Promise<Helped> => {
    const command = await load()
    const { flags, argument } = command
    const syntax = { name, flags, argument, variables: 'shared', others: OTHERS } as const
    return { name, flags, help: commandHelp(name, command), parse: args => parseFlags(args.slice(1), {}, syntax) }
  })
)
const gateway: Helped[] = [
  { name: '', flags: GATEWAY, help: gatewayHelp(), parse: args => parseGateway(args, {}) },
  { name: 'authorize', flags: AUTHORIZE, help: authorizeHelp(), parse: args => parseAuthorize(args.slice(1), {}) }
]

describe.each([...commands, ...gateway])('the help of "$name"', ({ help, flags, parse }) => {
  const all = Object.values(flags)

  test('names no flag that the command does not take', () => {
    const named = new Set(help.match(/(?<![\w-])--[a-z][a-z-]*/g))
    const taken = all.flatMap(({ flag, isVariableOnly }) => (isVariableOnly ? [] : [`--${flag}`]))
    expect([...named].filter(name => ![...taken, '--help', '--version'].includes(name))).toEqual([])
    expect(taken.filter(name => !named.has(name))).toEqual([])
  })

  test('names no variable that the command does not read', () => {
    const named = help.match(/SIGNED_REQUESTS_[A-Z_]+/g) ?? []
    const read = all.map(({ flag }) => variableOf(flag))
    expect(named.filter(name => !read.includes(name))).toEqual([])
    expect(named.length > 0).toBe(/^\* --/m.test(help))
  })

  test('the help of a command has examples that the command takes', () => {
    const text = help
      .split('Examples:\n')[1]!
      .split('\n\n')[0]!
      .replace(/ \\\n +/g, ' ')
    const lines = text.split('\n').map(line => line.trim())
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) {
      const [npx, , ...args] = line.replace(/ < .*/, '').split(' ')
      expect([npx, parse(args)]).toMatchObject(['npx', { asked: undefined }])
    }
  })

  test('fits into 80 columns of printable ASCII', () => {
    expect(help).toMatch(/^[\n -~]*$/)
    expect(Math.max(...help.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  })
})
