import { writeFileSync } from 'node:fs'
import { CODES, type Code, isUnavailable } from '../../../src/core/result/codes.ts'
import { listCauses } from '../../../src/explain/advice.ts'
import { entryOf } from '../../../src/explain/causes/causes.ts'
import { GATEWAY_CODES } from '../../../src/explain/gateway-codes.ts'
import { read } from './pages.ts'

/** The page whose sections and last table are made from the entries of the codes. */
export const PAGE = 'docs/checks-and-codes.md'

/** Returns the page with each section of a code, and the table of the gateway's codes, as the entries say. */
export const withEntries = (page: string): string =>
  page
    .replace(/^### (\S+)\n[\s\S]*?(?=^##|$(?![\s\S]))/gm, (section, code: string) =>
      code in CODES ? `${sectionOf(code as Code)}\n` : section
    )
    .replace(
      /(\| code \| status \| meaning \| fix \|\n\|---.*\n)(?:\|.*\n)*/,
      (_, head: string) => head + gatewayRows()
    )

function sectionOf<C extends Code>(code: C): string {
  const { about, also, example, exampleNote } = entryOf(code)
  const causes = listCauses(code).map(({ cause, fix }) => `  - ${cause} **Fix:** ${fix}`)
  const note = exampleNote === undefined ? '' : ` (${exampleNote})`
  return [
    `### ${code}`,
    '',
    `${isUnavailable(code) ? '**Unavailable.** ' : ''}${about}`,
    '',
    '- **Likely causes:**',
    ...causes,
    ...(also === undefined ? [] : [`- **Also:** ${also}`]),
    example === undefined
      ? '- **Evidence:** none, the code says it all.'
      : `- **Example of the evidence:** \`${literal(example)}\`${note}`,
    ''
  ].join('\n')
}

/** Writes plain data as a program would. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member)}`)
    .join(', ')} }`
}

const gatewayRows = (): string =>
  Object.entries(GATEWAY_CODES)
    .map(([code, { httpStatus, about, fix }]) => `| \`${code}\` | ${httpStatus} | ${about} | ${fix} |\n`)
    .join('')

if (process.argv[1]?.endsWith('codes-page.ts')) writeFileSync(PAGE, withEntries(read(PAGE)))
