import { expect, test } from 'vitest'
import { inFlags } from '../../../flags/table.ts'
import { variableOf } from '../../../flags/variables.ts'
import { optionNames, validateOptions } from '../../../src/core/options/options.ts'
import { createVerifier, logRecord } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { read } from './pages.ts'

const page = read('docs/options.md')
const found = page.matchAll(/^\| `(\w+)` \| (.*?) \| ([^|]*) \| (.*) \|$/gm)
const rows = [...found].map(([, name = '', , byDefault = '']) => ({ name, byDefault }))
const settings = validateOptions({ serviceDomain: 'service.example', hosts: 'a.example', accounts: '1' })

test('the table has every option, in the order of the type', () => {
  expect(rows.map(({ name }) => name)).toEqual(optionNames())
})

test.each(rows.filter(({ byDefault }) => /^`?(?:\d+|true|false)`?$/.test(byDefault)))(
  '$name is $byDefault by default',
  ({ name, byDefault }) => {
    expect(String(settings[name as keyof typeof settings])).toBe(byDefault.replaceAll('`', ''))
  }
)

test('the table of what to log has every key of logRecord', async () => {
  const service = createTestService()
  const record = logRecord(await createVerifier(service.options)(service.sign({})))
  const [, section = ''] = page.split('## What to log\n')
  const keys = [...section.split('\n## ')[0]!.matchAll(/^\| ((?:`\w+` ?)+) \|/gm)]
  expect(keys.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(' ')).sort()).toEqual(
    Object.keys(record).sort()
  )
})

test('each option that has a flag is shown with it and its variable', () => {
  const shown = [...page.matchAll(/^\| `(\w+)` \| `(--[a-z-]+)[^`]*` \| `(\w+)` \|$/gm)]
  const named = optionNames().filter(name => inFlags(name) !== name)
  expect(shown.map(([, name, flag, variable]) => [name, flag, variable])).toEqual(
    named.map(name => [name, inFlags(name), variableOf(inFlags(name).slice(2))])
  )
})

test('the page of the options states the other defaults', () => {
  const byDefault = Object.fromEntries(rows.map(row => [row.name, row.byDefault]))
  expect(byDefault['accountHeader']?.toLowerCase()).toBe(`\`${settings.accountHeader}\``)
  expect(byDefault['accountPrefix']).toBe(`\`${settings.accountPrefix}\``)
  expect(byDefault['schemes']).toBe('`[draftCavage]`')
  expect(byDefault['algorithms']).toBe(`\`['${[...settings.algorithms['draft-cavage']].join("', '")}']\``)
  expect(byDefault['replayStore']).toBe('none')
  expect(settings.replayStore).toBeUndefined()
  const required = rows.filter(row => row.byDefault === 'required').map(({ name }) => name)
  expect(required).toEqual(['serviceDomain', 'hosts', 'accounts'])
})
