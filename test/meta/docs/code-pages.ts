import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadVectors, type Vector } from 'signed-requests-vectors'
import { CHECK_NAMES, type CheckName, CODES, type Code, isUnavailable } from '../../../src/core/result/codes.ts'
import { listCauses } from '../../../src/explain/advice.ts'
import { entryOf } from '../../../src/explain/causes/causes.ts'
import { GATEWAY_CODES } from '../../../src/explain/gateway-codes.ts'
import { createVerifier, type Failure } from '../../../src/index.ts'
import { fromFixture } from '../../../src/testing/index.ts'
import { ROOT, read } from './pages.ts'

/** The index, whose lists are made from the codes. */
export const INDEX = 'docs/checks-and-codes.md'

/** The folder with a page for each code. */
export const FOLDER = 'docs/codes'

const codes = Object.keys(CODES) as Code[]

/** Returns the pages of all codes, by file. */
export async function codePages(): Promise<ReadonlyMap<string, string>> {
  const vectors = loadVectors()
  const pages = codes.map(async code => [`${FOLDER}/${code}.md`, await pageOf(code, vectors)] as const)
  return new Map(await Promise.all(pages))
}

async function pageOf(code: Code, vectors: readonly Vector[]): Promise<string> {
  const { check } = CODES[code]
  const { about, also, example, exampleNote } = entryOf(code)
  const { vector, failure } = await exampleOf(code, vectors)
  return `# ${code}

[All codes](../checks-and-codes.md)

${about}

Check: [\`${check}\`](../checks-and-codes.md#${check}-check). Result: ${resultOf(code)}

## Causes and fixes

Most specific first (values are examples):

| cause | fix |
|---|---|
${causeRows(code)}
${also === undefined ? '' : `\n${also}\n`}
Have the request? \`npx signed-requests explain FILE\` tells you which cause applies.

## Example

A vector with this code, in a clone of the repository:

\`\`\`sh
${explainCommand(vector)}
\`\`\`

${evidenceOf(failure)}
${exampleNote === undefined ? '' : `\n${noteOf(exampleNote, example, failure.evidence)}\n`}`
}

/** Writes the command that explains a vector, in lines that fit a page. */
function explainCommand({ file, name }: Vector): string {
  const [command, choice] = [`npx signed-requests explain fixtures/${file}.json`, `--vector ${name}`]
  const line = `${command} ${choice}`
  return line.length <= 80 ? line : `${command} \\\n  ${choice}`
}

/** Writes the evidence of a failure. */
function evidenceOf({ evidence }: Failure): string {
  if (evidence === undefined) return 'A failure with this code has no evidence.'
  return `The evidence of its failure (long texts are cut):\n\n\`\`\`json\n${jsonOf(evidence)}\n\`\`\``
}

/** Writes what is said about the evidence, with the example of the entry where the vector does not show all of it. */
function noteOf(note: string, example: object | undefined, shown: object | undefined): string {
  const isShown = Object.keys(example ?? {}).every(name => name in (shown ?? {}))
  return isShown ? `Evidence: ${note}.` : `Evidence: \`${jsonOf(example, Infinity)}\` (${note}).`
}

function resultOf(code: Code): string {
  if (isUnavailable(code)) return 'unavailable, HTTP 503. The sender should try again.'
  return code === 'body-too-large' ? 'rejected, HTTP 413 if it is the only failure.' : 'rejected, HTTP 401.'
}

/** Writes the causes as rows; consecutive causes with the same fix share a row. */
function causeRows(code: Code): string {
  const rows: { causes: string[]; fix: string }[] = []
  for (const { cause, fix } of listCauses(code)) {
    const last = rows.at(-1)
    if (last?.fix === fix) last.causes.push(cause)
    else rows.push({ causes: [cause], fix })
  }
  return rows.map(({ causes, fix }) => `| ${cellOf(causes)} | ${plain(fix)} |`).join('\n')
}

/** Puts several causes into a cell as a list, which Markdown has no mark for there. */
const cellOf = (causes: readonly string[]): string =>
  causes.length === 1 ? plain(causes[0]!) : causes.map(cause => `• ${plain(cause)}`).join('<br>')

/** Keeps a text from being read as Markdown. */
const plain = (text: string): string => text.replace(/[|<*]/g, '\\$&')

/** Runs the vector that shows the most of a code: that code alone, the most evidence, and its name. */
async function exampleOf(code: Code, vectors: readonly Vector[]): Promise<{ vector: Vector; failure: Failure }> {
  const candidates = vectors.filter(
    ({ verdict }) => verdict.status !== 'verified' && verdict.failures.some(failure => failure.code === code)
  )
  const ran = await Promise.all(
    candidates.map(async vector => {
      const { request, options } = fromFixture(vector)
      const { failures } = await createVerifier(options)(request)
      const failure = failures.find(failure => failure.code === code)!
      const members = Object.keys(failure.evidence ?? {}).length
      const isNamed = vector.name.startsWith(code)
      return { vector, failure, rank: members - 100 * failures.length + (isNamed ? 0.5 : 0) }
    })
  )
  return ran.reduce((best, one) => (one.rank > best.rank ? one : best))
}

/** Shortens what nobody reads to its end, such as a key. */
const MAX_TEXT = 36

/** Writes plain data as JSON, each part in one line if it fits. */
function jsonOf(value: unknown, width = 80): string {
  const text =
    typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}...` : (value as object)
  const isList = Array.isArray(value)
  if (typeof text !== 'object' || text === null) return JSON.stringify(text)
  const members = Object.entries(value as object)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => (isList ? '' : `${JSON.stringify(name)}: `) + jsonOf(member, width - 2))
  const [open, close] = isList ? '[]' : '{}'
  const line = isList ? `[${members.join(', ')}]` : `{ ${members.join(', ')} }`
  if (line.length <= width && !line.includes('\n')) return line
  return `${open}\n${members.join(',\n').replace(/^/gm, '  ')}\n${close}`
}

/** Returns the index with the lists of codes that the tables of the codes give. */
export const withLists = (page: string): string =>
  page
    .replace(/^(## ([a-z -]+) check\n\n.*\n\n)(?:- .*\n)*\n*/gim, (all, head: string, name: string) => {
      const check = name.toLowerCase().replaceAll(' ', '-') as CheckName
      return CHECK_NAMES.includes(check) ? `${head}${listOf(check)}\n` : all
    })
    .replace(
      /(\| code \| status \| meaning \| fix \|\n\|---.*\n)(?:\|.*\n)*/,
      (_, head: string) => head + gatewayRows()
    )

const listOf = (check: CheckName): string =>
  codes
    .filter(code => CODES[code].check === check)
    .map(
      code => `- [\`${code}\`](codes/${code}.md): ${CODES[code].message}${isUnavailable(code) ? ' (**503**)' : ''}\n`
    )
    .join('')

const gatewayRows = (): string =>
  Object.entries(GATEWAY_CODES)
    .map(([code, { httpStatus, about, fix }]) => `| \`${code}\` | ${httpStatus} | ${about} | ${fix} |\n`)
    .join('')

/** `npm run docs:codes` runs this. */
if (process.argv[1]?.endsWith('code-pages.ts')) {
  const pages = await codePages()
  mkdirSync(`${ROOT}/${FOLDER}`, { recursive: true })
  for (const name of readdirSync(`${ROOT}/${FOLDER}`))
    if (!pages.has(`${FOLDER}/${name}`)) rmSync(`${ROOT}/${FOLDER}/${name}`)
  for (const [file, page] of pages) writeFileSync(`${ROOT}/${file}`, page)
  writeFileSync(`${ROOT}/${INDEX}`, withLists(read(INDEX)))
}
