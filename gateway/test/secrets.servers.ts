import { expect, test } from 'vitest'
import { variableOf } from '../../flags/variables.ts'
import { runGateway } from '../../test/support/cli.ts'
import { GATEWAY } from '../src/options/flags.ts'

const SECRETS = ['redis://default:S3CRET@h:1/?password=S3CRET', 'https://u:S3CRET@h/S3CRET']
const ALL = Object.values(GATEWAY)

const output = async (args: readonly string[], env?: Record<string, string>) => {
  const { code, stdout, stderr } = await runGateway([...args, '--check'], env)
  return { code, text: stdout + stderr }
}

test.each([
  ['--admin-token=S3CRET', 'set SIGNED_REQUESTS_ADMIN_TOKEN instead of --admin-token'],
  ['--reddis=redis://:S3CRET@h', 'did you mean --redis?'],
  ['authorize --reddis=redis://:S3CRET@h', 'did you mean --redis?'],
  ['authorize --admin-token=S3CRET', 'authorize does not take --admin-token'],
  ['--observe S3CRET', 'unexpected argument'],
  ['SECRETS3CRET', 'unexpected argument'],
  ['SCRET', 'unexpected argument'],
  ['-xS3CRET', 'there is no such option'],
  ['--S3CRET', 'there is no such option'],
  ['--no-S3CRET', 'there is no such option'],
  ['--S3CRET=S3CRET', 'there is no such option'],
  ['authorize --S3CRET', 'there is no such option'],
  ['authorize S3CRET', 'unexpected argument']
])('%s', async (line, expected) => {
  const { code, text } = await output(line.split(' '))
  expect(code).toBe(64)
  expect(text).toContain(expected)
  expect(text).not.toContain('SCRET')
  expect(text).not.toContain('S3CRET')
})

test.each(ALL.map(({ flag }) => `--${flag}`))('%s, as a flag of either command and as a variable', async flag => {
  const variable = variableOf(flag.slice(2))
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
      output(rest, { [variable]: secret })
    ]
  })
  for (const one of await Promise.all(all)) expect(one.text).not.toContain('S3CRET')
})
