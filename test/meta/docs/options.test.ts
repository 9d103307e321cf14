import { expect, test } from 'vitest'
import { variableOf } from '../../../flags/variables.ts'
import { DEFAULTS, OPTION_NAMES, OPTIONS, type OptionName, validateOptions } from '../../../src/core/options/options.ts'
import { createVerifier, logRecord } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { read } from './pages.ts'

const page = read('docs/options.md')
const found = page.matchAll(/^\| `(\w+)` \| (.*?) \| ([^|]*) \| (.*) \|$/gm)
const rows = [...found].map(([, name = '', , byDefault = '']) => ({ name, byDefault }))

/** The defaults that are code, as the page writes them. */
const CODE_DEFAULTS: Readonly<Partial<Record<OptionName, string>>> = {
  schemes: '`[draftCavage]`',
  algorithms: "`['rsa-sha256']`",
  lookupTxt: '`dnsTxtLookup()`',
  replayStore: 'none',
  recorder: 'none',
  now: '`Date.now()`'
}

/** Numbers stand as they are, and other values as code. */
function shownDefault(name: OptionName): string {
  const { [name]: value }: { readonly [N in OptionName]?: unknown } = DEFAULTS
  if (CODE_DEFAULTS[name] !== undefined) return CODE_DEFAULTS[name]
  if (value === undefined) return 'required'
  return typeof value === 'number' ? `${value}` : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

test('the table has every option, in the order of the type, with its default', () => {
  expect(rows).toEqual(OPTION_NAMES.map(name => ({ name, byDefault: shownDefault(name) })))
})

test('an option is required where the page says so, and only there', () => {
  const all = { serviceDomain: 'service.example', hosts: 'a.example', accounts: '1' }
  const isRequired = (name: OptionName) => {
    try {
      validateOptions({ ...all, [name]: undefined })
      return false
    } catch {
      return true
    }
  }
  expect(OPTION_NAMES.filter(isRequired)).toEqual(OPTION_NAMES.filter(name => shownDefault(name) === 'required'))
})

test('the table of what to log has every key of logRecord', async () => {
  const service = createTestService()
  const record = logRecord(await createVerifier(service.options)(service.sign({})))
  const [, section = ''] = page.split('## What to log\n')
  const keys = [...section.split('\n## ')[0]!.matchAll(/^\| ((?:`\w+` ?)+) \|/gm)]
  expect(keys.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(' ')).sort()).toEqual(
    Object.keys(record).sort()
  )
})

test('each option that has a flag is shown with it, and the variable of one as the rule', () => {
  const shown = [...page.matchAll(/^\| `(\w+)` \| `--([a-z-]+)[^`]*` \|$/gm)]
  const named = OPTION_NAMES.flatMap(name => {
    const { flag } = OPTIONS[name]
    return flag === undefined ? [] : [[name, flag]]
  })
  expect(shown.map(([, name, flag]) => [name, flag])).toEqual(named)
  expect(page).toContain(`\`${variableOf('domain')}\``)
})
