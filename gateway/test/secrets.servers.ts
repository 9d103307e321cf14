import { Command } from 'commander'
import { expect, test } from 'vitest'
import { runGateway } from '../../test/support/cli.ts'
import { addFlags } from '../src/options/command.ts'
import { GATEWAY } from '../src/options/flags.ts'

const SECRETS = ['redis://default:S3CRET@h:1/?password=S3CRET', 'https://u:S3CRET@h/S3CRET']
const OPTIONS = addFlags(new Command(), GATEWAY).options
const FLAGS = OPTIONS.map(({ long }) => long!)

const output = async (args: readonly string[], env?: Record<string, string>) => {
  const { code, stdout, stderr } = await runGateway([...args, '--check'], env)
  return { code, text: stdout + stderr }
}

test.each([
  ['--admin-token=S3CRET', "unknown option '--admin-token'"],
  ['--reddis=redis://:S3CRET@h', 'Did you mean --redis?'],
  ['authorize --reddis=redis://:S3CRET@h', 'Did you mean --redis?'],
  ['authorize --admin-token=S3CRET', "unknown option '--admin-token'"],
  ['--observe S3CRET', 'an argument belongs to no option'],
  ['SECRETS3CRET', 'an argument belongs to no option'],
  ['SCRET', 'an argument belongs to no option'],
  ['-xS3CRET', 'unknown option']
])('%s', async (line, expected) => {
  const { code, text } = await output(line.split(' '))
  expect(code).toBe(64)
  expect(text).toContain(expected)
  expect(text).not.toContain('SCRET')
  expect(text).not.toContain('S3CRET')
})

test.each(FLAGS)('%s, as a flag of either command and as a variable', async flag => {
  const option = OPTIONS.find(({ long }) => long === flag)!
  const given = Object.fromEntries(
    ['--upstream', '--domain', '--host', '--account', '--https']
      .filter(other => other !== flag)
      .map(other => [other, { '--https': 'always' }[other] ?? (other === '--upstream' ? 'http://h' : 'a.example')])
  )
  const all = SECRETS.flatMap(secret => {
    const rest = Object.entries(given).flat()
    const asRest = rest.filter((_, i) => rest[i - (i % 2)] !== '--upstream')
    return [
      output([...rest, `${flag}=${secret}`]),
      output(['authorize', '--from', 'as-is', ...asRest, `${flag}=${secret}`]),
      option.envVar === undefined ? undefined : output(rest, { [option.envVar]: secret })
    ]
  })
  for (const one of await Promise.all(all)) expect(one?.text ?? '').not.toContain('S3CRET')
})
