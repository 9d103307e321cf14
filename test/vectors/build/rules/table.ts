import type { VectorFile, VectorJson } from '../../vector-form.ts'
import { RULES } from './index.ts'

/** What fixtures/README.md has between its markers: both tables, all numbers counted. */
export const generatedTables = (files: Files): string => [filesTable(files), rulesTable(files)].join('\n\n')

function filesTable(files: Files): string {
  const row = (label: string, vectors: readonly VectorJson[]): string => {
    const counts = (['verified', 'rejected', 'unavailable'] as const).map(
      status => vectors.filter(({ verdict }) => verdict.status === status).length
    )
    return `| ${[label, vectors.length, ...counts].join(' | ')} |`
  }
  const { rfc9421, ...draft } = files
  return [
    '| file | vectors | verified | rejected | unavailable |',
    '|---|---|---|---|---|',
    ...Object.entries(draft).map(([name, { vectors }]) => row(`\`${name}.json\``, vectors)),
    row('the draft', allOf(draft)),
    row('`rfc9421.json`', rfc9421.vectors),
    row('all', allOf(files))
  ].join('\n')
}

/** The files of the suite by name; all but one are of the draft. */
export type Files = Readonly<Record<string, VectorFile> & Record<'rfc9421', VectorFile>>

const allOf = (files: Readonly<Record<string, VectorFile>>): VectorJson[] =>
  Object.values(files).flatMap(({ vectors }) => vectors)

function rulesTable({ rfc9421: _, ...draft }: Files): string {
  const kept = new Set(RULES.flatMap(({ keep }) => keep))
  const broken = new Set(RULES.flatMap(rule => rule.break.map(({ name }) => name)))
  const all = allOf(draft).length
  return [
    `${RULES.length} rules, with ${kept.size} vectors that keep one and ${broken.size} that break one, of the ${all} ` +
      'of the draft.',
    '',
    '| part | rule | verified | not verified |',
    '|---|---|---|---|',
    ...RULES.map(({ part, rule, keep, break: breaks, why }) => {
      const codes = [...new Set(breaks.map(each => each.codes))]
      const byCode = codes.map(code => {
        const names = breaks.filter(each => each.codes === code).map(each => each.name)
        return `${code.replaceAll(' ', ', ')}: ${list(names)}`
      })
      const cells = [
        keep.length === 0 ? none(why) : `${keep.length}: ${list(keep)}`,
        breaks.length === 0 ? none(why) : `${breaks.length}. ${byCode.join('; ')}`
      ]
      return `| ${[part, rule, ...cells].join(' | ')} |`
    })
  ].join('\n')
}

const list = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ')

const none = (why: string | undefined): string => `none: ${why}`
