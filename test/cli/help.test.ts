import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../cli/commands.ts'
import type { Command } from '../../cli/flags.ts'
import { run } from '../../cli/run-command.ts'
import { commandLinePage } from '../meta/docs/command-line.ts'
import { runInside } from '../support/run-cli.ts'

const NAMES = ['signed-requests', ...Object.keys(COMMANDS)]
const commands = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, { load }]): Promise<[string, Command]> => [name, await load()])
)
const helps = new Map<string, string>()
beforeAll(async () => {
  for (const name of NAMES) {
    const args = name === 'signed-requests' ? ['--help'] : [name, '--help']
    helps.set(name, (await runInside(args)).stdout)
  }
})

describe.each(NAMES)('the help of %s', name => {
  test('fits into 80 columns of printable ASCII', () => {
    const help = helps.get(name)!
    expect(help).toMatch(/^[\n -~]*$/)
    expect(Math.max(...help.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  })

  test('the help of a command has usage, options, examples and exit codes, in this order', () => {
    const help = helps.get(name)!
    expect(help).toMatch(
      /^Usage: signed-requests .*\n\nOptions:\n[ *] -.*\n\nExamples:\n {2}npx .*\n\nExit codes:\n {2}0 /s
    )
    const codes = [...help.split('Exit codes:\n')[1]!.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code))
    expect(codes).toEqual([0, 1, 2, 64])
  })
})

test.each(NAMES)('--version of %s is that of the package', async name => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const args = name === 'signed-requests' ? ['--version'] : [name, '--version']
  expect(await runInside(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('the same option means the same in every command', () => {
  const options = new Map<string, string>()
  for (const name of ['--prefix', '--dns-server', '--json', '--help']) {
    for (const [, help] of [...helps].slice(1)) {
      const text = help
        .split('Options:\n')[1]!
        .match(new RegExp(`^[ *] (?:-h, )?${name} (?:.|\\n)*?(?=\\n(?:[ *] -|\\n))`, 'm'))?.[0]
        ?.slice(1)
        .replace(/\s+/g, ' ')
      if (text !== undefined) expect(text).toBe(options.get(name) ?? text)
      if (text !== undefined) options.set(name, text)
    }
  }
  expect([...options.keys()]).toHaveLength(4)
})

test('each command is in the list of commands', () => {
  const listed = [...helps.get('signed-requests')!.matchAll(/^ {2}([a-z]+) {3,}[a-z]/gm)].map(([, name]) => name)
  expect(listed).toEqual(Object.keys(COMMANDS))
})

test.each(commands)('the help of %s names each of its options, and no others', (name, { flags }) => {
  const named = [...helps.get(name)!.matchAll(/^[* ] --([a-z-]+) ?(\S*)/gm)]
  expect(named.map(([, flag, value]) => [flag, value !== ''])).toEqual(
    Object.values(flags).map(({ flag, kind }) => [flag, kind !== 'switch'])
  )
})

test.each(commands)('the help of %s has a star at what may be an environment variable', async name => {
  const starred = [...helps.get(name)!.matchAll(/^\* --([a-z-]+)/gm)].map(([, option]) => option!)
  for (const option of starred) {
    const variable = `SIGNED_REQUESTS_${option.toUpperCase().replaceAll('-', '_')}`
    const { stderr } = await runInside([name, 'a', 'b'], '', false, { [`${variable}X`]: 'x' })
    expect(stderr).toContain(`did you mean ${variable}?`)
  }
})

test('docs/command-line.md has the help of each command, and each option that they share once', async () => {
  const page = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')
  for (const name of [...NAMES, 'signed-requests-gateway', 'signed-requests-gateway authorize', 'shared options'])
    expect(page).toContain(`<!-- help: ${name} -->\n`)
  expect(page, 'run npm run docs:cli').toBe(await commandLinePage(page))
  expect(page.match(/^[* ] --date-tolerance /gm)).toHaveLength(2) // send gives it another meaning
})

test('the help of a command without a page is printed, and the command is in the list', async () => {
  const ping: Command = {
    ...{ about: ['Says pong.'], examples: ['npx signed-requests ping'] },
    flags: { loud: { flag: 'loud', kind: 'switch', about: 'in capitals' } },
    exits: { 0: 'pong', 1: 'no', 2: 'perhaps', 64: 'a mistake' },
    run: async () => 0
  }
  const commands = { ...COMMANDS, ping: { summary: 'see whether it is there', load: async () => ping } }
  const printed: string[] = []
  const io = { ...{ stdin: Readable.from([]), note: () => {}, color: false, env: {} } }
  const print = (text: string) => void printed.push(text)
  expect(await run(['ping', '--help'], { ...io, print }, commands)).toBe(0)
  expect(await run(['--help'], { ...io, print }, commands)).toBe(0)
  expect(printed[0]).toMatch(
    /^Usage: signed-requests ping \[options\]\n\nSays pong\.\n\nOptions:\n {2}--loud {6}in capitals\n/
  )
  expect(printed[1]).toContain('\n  ping         see whether it is there\n')
})
