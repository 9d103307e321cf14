import { allCauses } from '../../../src/explain/causes/causes.ts'
import type { Causes, Text } from '../../../src/explain/causes/row.ts'
import { textOf } from '../../../src/explain/facts.ts'
import { showSetting } from '../../../src/explain/settings.ts'
import type { Code } from '../../../src/result/codes.ts'

/** The page is for those who write options. */
const WORDS = {
  either: (options: string) => options,
  setting: (name: Parameters<typeof showSetting>[1], value?: string) => showSetting('options', name, value)
}

/** What only a request has, for the rows that need it. */
const AROUND = { isUnsigned: false, isOtherStandard: false, isSigned: false, search: { detail: '/api' } }

/** The rows of a code as the page has them, filled with the evidence of its example; `...` for what that lacks. */
export function causesOnPage<C extends Code>(code: C, evidence: Readonly<Record<string, unknown>>): string {
  const shown = new Proxy(evidence, {
    get: (_, name: string) => (Object.hasOwn(evidence, name) ? textOf(evidence[name], 10) : '...')
  })
  const textFor = (text: Text<C>): string =>
    typeof text === 'string' ? text : text(shown as never, WORDS, { evidence, around: AROUND } as never)
  const causes: Causes<C> = allCauses()[code]
  return causes.map(({ cause, fix }) => `  - ${textFor(cause)} **Fix:** ${textFor(fix)}\n`).join('')
}

/** The evidence of the example in a section of the page. */
export function exampleIn(section: string): Readonly<Record<string, unknown>> {
  const [, example = '{}'] = /Example of the evidence:\*\* `(\{.*\})`/.exec(section) ?? []
  return new Function(`return (${example})`)()
}
