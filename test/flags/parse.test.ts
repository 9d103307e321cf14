import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../cli/commands.ts'
import { OTHERS } from '../../cli/flags.ts'
import type { Flags } from '../../flags/flag.ts'
import { type Parsed, parseFlags, type Syntax } from '../../flags/parse.ts'
import { UsageError } from '../../flags/usage-error.ts'
import type { Env } from '../../flags/variables.ts'
import { parseAuthorize, parseGateway } from '../../gateway/src/options/command-line.ts'
import { AUTHORIZE, GATEWAY } from '../../gateway/src/options/flags.ts'

const FLAGS = {
  domain: { flag: 'domain', kind: 'text', about: '', isRequired: true },
  hosts: { flag: 'host', kind: 'list', about: '' },
  header: { flag: 'header', kind: 'list', about: '' },
  limit: { flag: 'limit', kind: 'number', about: '' },
  form: { flag: 'form', kind: 'text', choices: ['json', 'text'], about: '', preset: 'json' },
  loud: { flag: 'loud', kind: 'switch', about: '', excludes: ['form'], needs: 'limit' },
  count: { flag: 'count', kind: 'text', about: '', expects: 'an X', parse: (text: string) => /^x+$/.exec(text)?.[0] },
  check: { flag: 'check', kind: 'switch', about: '', isCommandLineOnly: true },
  token: { flag: 'token', kind: 'text', about: '', isVariableOnly: true }
} as const satisfies Flags

const ALL: Syntax<typeof FLAGS> = { name: 'shout', flags: FLAGS, variables: 'all', others: {} }

function given(line: string, env: Env = {}, syntax: Syntax<typeof FLAGS> = ALL) {
  const parsed = parseFlags(line === '' ? [] : line.split(' '), env, syntax)
  if (parsed.asked !== undefined) throw new Error(`${parsed.asked} was asked for`)
  return parsed
}

const mistake = (line: string, env: Env = {}, changes: Partial<Syntax<typeof FLAGS>> = {}): string => {
  try {
    given(line, env, { ...ALL, ...changes })
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as Error).message
  }
  return ''
}

describe('values', () => {
  test('values are as the kind of the flag says, with a preset, and undefined where nothing was given', () => {
    expect(given('--domain a').values).toEqual({ domain: 'a', form: 'json' })
    expect(given('--domain a --limit 07 --loud --count xx').values).toMatchObject({ limit: 7, loud: true, count: 'xx' })
  })

  test('values of a list are separated by commas, or the flag is repeated; a list of one command keeps commas', () => {
    const { hosts, header } = given('--domain a --host b,c --host d --header a,b').values
    expect([hosts, header]).toEqual([['b', 'c', 'd'], ['a,b']])
  })

  test('the value of a flag that was repeated is the last one', () => {
    expect(given('--domain a --domain b').values.domain).toBe('b')
  })

  test('values come from the command line first, then from the environment', () => {
    const env = { SIGNED_REQUESTS_DOMAIN: 'v', SIGNED_REQUESTS_HOST: ' b, ,c ' }
    const { values, sourceOf } = given('--domain a', env)
    expect([values.domain, values.hosts]).toEqual(['a', ['b', 'c']])
    expect(['domain', 'host', 'limit'].map(sourceOf)).toEqual(['flag', 'variable', undefined])
  })

  test('values that begin with a dash are written behind an equals sign, and two dashes end the flags', () => {
    expect(given('--domain=-a').values.domain).toBe('-a')
    expect(given('--domain a -- --loud', {}, { ...ALL, argument: '[WORD]' }).positionals).toEqual(['--loud'])
  })
})

test.each([
  ['-h', 'help'],
  ['--nope --help', 'help'],
  ['--version', 'version']
])('%s is answered whatever else is wrong', (line, asked) => {
  expect(parseFlags(line.split(' '), { SIGNED_REQUESTS_NOPE: '1' }, ALL)).toEqual({ asked })
})

describe('mistakes', () => {
  test.each([
    ['', 'missing: --domain; or set SIGNED_REQUESTS_DOMAIN; see --help'],
    ['--domain=', 'missing: --domain; or set SIGNED_REQUESTS_DOMAIN; see --help'],
    ['--domain a --limit 1 --loud --form text', '--loud cannot be used with --form'],
    ['--domain a --loud', '--loud needs --limit'],
    ['--domain a --limit -1', '--limit needs a value; one that begins with a dash is written --limit=-VALUE'],
    ['--domain a --limit 1e3', '--limit must be a whole number'],
    ['--domain a --form xml', '--form must be one of json, text'],
    ['--domain a --count y', '--count must be an X'],
    ['--domain a --check=1', '--check takes no value'],
    ['--domain', '--domain needs a value'],
    ['--domain a --check b', 'unexpected argument after --check: it takes no value; see --help'],
    ['--domain a b', 'unexpected argument; see --help'],
    ['--domian a', 'there is no option --domian (did you mean --domain?); see --help'],
    ['--lodu', 'there is no option --lodu (did you mean --loud?); see --help'],
    ['--no-loud', 'there is no option --no-loud (did you mean --loud?); see --help'],
    ['--something', 'there is no such option; see --help'],
    ['--token secret', 'other users can see arguments: set SIGNED_REQUESTS_TOKEN instead of --token']
  ])('a mistake on the command line is named: %s', (line, message) => expect(mistake(line)).toBe(message))

  test('a conflict with a variable names the variable', () => {
    const message = mistake('--domain a --limit 1 --loud', { SIGNED_REQUESTS_FORM: 'json' })
    expect(message).toBe('--loud cannot be used with --form (set by SIGNED_REQUESTS_FORM)')
  })

  test('a flag of another command is named', () => {
    const others = { upstream: { flag: 'upstream', kind: 'text', about: '' } } as const
    expect(mistake('--upstream a', {}, { others })).toBe('shout does not take --upstream; see --help')
  })
})

describe('variables', () => {
  test.each([
    [{ SIGNED_REQUESTS_DOMIAN: 'a' }, '(did you mean SIGNED_REQUESTS_DOMAIN?); see --help'],
    [{ SIGNED_REQUESTS_CHECK: 'true' }, 'there is no environment variable SIGNED_REQUESTS_CHECK; see --help'],
    [{ SIGNED_REQUESTS_LOUD: 'yes' }, 'SIGNED_REQUESTS_LOUD must be true or false'],
    [{ SIGNED_REQUESTS_LIMIT: ' ' }, 'SIGNED_REQUESTS_LIMIT is empty: set it, or unset it'],
    [{ SIGNED_REQUESTS_LIMIT: 'x' }, 'SIGNED_REQUESTS_LIMIT must be a whole number'],
    [{ SIGNED_REQUESTS_PORT: 'tcp://10.0.0.1' }, 'set enableServiceLinks: false; see --help']
  ])('where all flags may be variables, a wrong variable is a mistake: %j', (env, message) =>
    expect(mistake('--domain a', env)).toContain(message)
  )

  test.each([
    [{ SIGNED_REQUESTS_DOMIAN: 'a' }, '(did you mean SIGNED_REQUESTS_DOMAIN?); see --help'],
    [{ SIGNED_REQUESTS_LIMIT: 'x' }, ''],
    [{ SIGNED_REQUESTS_LOUD: 'true' }, ''],
    [{ SIGNED_REQUESTS_HOST: '' }, ''],
    [{ SIGNED_REQUESTS_PORT: 'tcp://10.0.0.1' }, ''],
    [{ SIGNED_REQUESTS_SOMETHING: 'a' }, '']
  ])('where only the shared flags may be variables, others are no mistake: %j', (env, message) => {
    const found = mistake('--domain a', env, { variables: 'shared' })
    if (message === '') expect(found).toBe('')
    else expect(found).toContain(message)
  })

  test('a switch that is false was not given', () => {
    expect(given('--domain a', { SIGNED_REQUESTS_LOUD: 'false' }).values.loud).toBeUndefined()
  })
})

describe('no message has a text that could be a secret', async () => {
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) => ({ name, ...(await load()) }))
  )
  const parsers: [name: string, flags: Flags, parse: (args: readonly string[]) => Parsed<Flags>][] = [
    ...commands.map(({ name, flags, argument }): (typeof parsers)[number] => {
      const syntax: Syntax<Flags> = { name, flags, argument, variables: 'shared', others: OTHERS }
      return [name, flags, args => parseFlags(args, {}, syntax)]
    }),
    ['signed-requests-gateway', GATEWAY, args => parseGateway(args, {})],
    ['authorize', AUTHORIZE, args => parseAuthorize(args, {})]
  ]

  test.each(parsers)('no message has a text that could be a secret: %s', (_, flags, parse) => {
    const names = [...Object.values({ ...flags, ...OTHERS }).map(({ flag }) => flag), 'help-me', 'S3CRETS3CRET']
    const secret = 'S3CRETS3CRET'
    const forms = ['%', '--%', '--no-%', '-%', '--=%', '%=%', '--%=%', '-- %']
    const word = fc.oneof(
      fc.constantFrom(...forms.map(form => form.replaceAll('%', secret))),
      fc
        .tuple(fc.constantFrom(...names), fc.constantFrom('', '=S3CRETS3CRET', ' S3CRETS3CRET', '='))
        .map(([name, value]) => `--${name}${value}`)
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), words => {
        try {
          parse(words.flatMap(text => text.split(' ')))
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError)
          expect((error as Error).message).not.toContain('S3CRET')
        }
      }),
      { numRuns: 300 }
    )
  })
})

test('a required list of which each value is empty is missing', () => {
  const flags = { hosts: { ...FLAGS.hosts, isRequired: true } } as const satisfies Flags
  const parse = (args: readonly string[]) => () =>
    parseFlags(args, {}, { name: 'shout', flags, variables: 'shared', others: {} })
  const missing = 'missing: --host; or set SIGNED_REQUESTS_HOST; see --help'
  for (const args of [[], ['--host='], ['--host=', '--host=']]) expect(parse(args)).toThrow(missing)
  expect(parse(['--host=', '--host=a'])).not.toThrow()
})

test('no- is left out of a misspelled option at its start alone', () => {
  expect(mistake('--domain a --no-limi')).toBe('there is no option --no-limi (did you mean --limit?); see --help')
  expect(mistake('--domain a --lim-no-it')).toBe('there is no such option; see --help')
})
