import type { JSONOutput } from 'typedoc'
import type { Entry, Export, Kind } from './convert.ts'
import {
  indented,
  plainText,
  printMember,
  printObject,
  printSignature,
  printType,
  printTypeParameters
} from './print-type.ts'

type Declaration = JSONOutput.DeclarationReflection
type Comment = JSONOutput.Comment

/** Names a place in the guides, such as a section of a page. */
export interface Mention {
  /** the title of the page, and of the section below it */
  title: string
  /** the address, from the root of the site */
  address: string
}

export interface Page {
  /** the file below the folder of pages, such as `reference/replay/memoryReplayStore.md` */
  file: string
  title: string
  markdown: string
}

const KIND_TITLES: Record<Kind, string> = {
  function: 'Functions',
  value: 'Values',
  class: 'Errors',
  interface: 'Interfaces',
  type: 'Types'
}
const KINDS = Object.keys(KIND_TITLES) as Kind[]

const MAIN = 'signed-requests'

/** Returns the folder of an entry below `reference/`; the main entry has none. */
export const folderOf = (entry: string): string =>
  entry === MAIN ? '' : `${entry === 'signed-requests-vectors' ? 'vectors' : entry.slice(MAIN.length + 1)}/`

/**
 * Returns the file of an export's page, without its ending. Types have a folder: `LogRecord` is what `logRecord`
 * returns.
 */
export const pageOf = ({ entry, name, kind }: Pick<Export, 'entry' | 'name' | 'kind'>): string =>
  `reference/${folderOf(entry)}${isType(kind) ? 'types/' : ''}${name}`

const isType = (kind: Kind): boolean => kind === 'interface' || kind === 'type'

/** Groups the exports of an entry by kind, in the order of the pages. */
export const byKind = (exports: readonly Export[]): { title: string; exports: Export[] }[] =>
  KINDS.map(kind => ({ title: KIND_TITLES[kind], exports: exports.filter(one => one.kind === kind) })).filter(
    group => group.exports.length > 0
  )

/**
 * Writes a page for each entry and each export. `mentionsOf` names the sections of the guides that explain an export.
 */
export function renderReference(entries: readonly Entry[], mentionsOf: (name: string) => readonly Mention[]): Page[] {
  const all = entries.flatMap(({ exports }) => exports)
  const users = usersOf(all)
  return [
    ...entries.map(entry => renderEntry(entry, entries)),
    ...all.map(one => ({
      file: `${pageOf(one)}.md`,
      title: one.name,
      markdown: renderExport(
        one,
        users.get(one) ?? [],
        one.entry === 'signed-requests-vectors' ? [] : mentionsOf(one.name)
      )
    }))
  ]
}

function renderEntry(entry: Entry, entries: readonly Entry[]): Page {
  const groups = byKind(entry.exports).map(({ title, exports }) => `## ${title}\n\n${tableOf(exports)}`)
  const others = entry.references.map(one => link(one)).join(', ')
  const parts = [
    `# ${entry.name}`,
    markdownOf(entry.summary),
    entry.name === MAIN ? `## Entries\n\n${entryTable(entries)}` : '',
    ...groups,
    others && `## Also exported\n\n${entry.name} also exports the types that its own signatures show: ${others}.`
  ]
  return {
    file: `reference/${folderOf(entry.name)}index.md`,
    title: entry.name,
    markdown: joined(parts)
  }
}

const entryTable = (entries: readonly Entry[]): string => {
  const rows = entries.map(({ name, summary }) => {
    return `| [\`${name}\`](/reference/${folderOf(name)}index.md) | ${inCell(firstSentence(markdownOf(summary)))} |`
  })
  return ['| entry | what it has |', '|---|---|', ...rows].join('\n')
}

const tableOf = (exports: readonly Export[]): string => {
  const rows = exports.map(one => `| ${link(one)} | ${inCell(firstSentence(summaryOf(one)))} |`)
  return ['| name | |', '|---|---|', ...rows].join('\n')
}

const link = (one: Export): string => `[\`${one.name}\`](/${pageOf(one)}.md)`

function renderExport(one: Export, users: readonly Export[], mentions: readonly Mention[]): string {
  const from = [one.entry, ...one.alsoIn]
  const also = from.slice(1).map(entry => `\`${entry}\``)
  return joined([
    `# ${one.name}`,
    codeOf(`import ${isType(one.kind) ? 'type ' : ''}{ ${one.name} } from '${one.entry}'`),
    also.length > 0 && `Also exported by ${also.join(', ')}.`,
    ...bodyOf(one),
    users.length > 0 && `## Used by\n\n${users.map(link).join(', ')}`,
    mentions.length > 0 &&
      `## In the guides\n\n${mentions.map(({ title, address }) => `- [${title}](${address})`).join('\n')}`
  ])
}

function bodyOf(one: Export): string[] {
  const { declaration, name, kind } = one
  const types = printTypeParameters(declaration.typeParameters)
  switch (kind) {
    case 'function':
      return (declaration.signatures ?? []).flatMap(signature => [
        ...describe(signature.comment),
        signatureOf(`function ${printSignature(signature, name)}`),
        ...parametersOf(signature),
        ...tagsOf(signature.comment)
      ])
    case 'value':
      return [
        ...describe(declaration.comment),
        signatureOf(`const ${name}: ${printType(declaration.type)}`),
        ...tagsOf(declaration.comment)
      ]
    case 'class': {
      const own = members(declaration)
      const made = declaration.children?.find(({ name }) => name === 'constructor')?.signatures ?? []
      const lines = made.map(signature =>
        printSignature({ ...signature, type: undefined as never }, 'constructor').replace(/: unknown$/, '')
      )
      return [
        ...describe(declaration.comment),
        signatureOf(
          `class ${name}${types}${extended(declaration)} {\n${indented([...lines, ...own.map(printMember)].join('\n'))}\n}`
        ),
        ...tagsOf(declaration.comment),
        ...membersOf(own)
      ]
    }
    case 'interface': {
      const { signatures = [] } = declaration
      const own = members(declaration)
      return [
        ...describe(declaration.comment),
        ...signatures.flatMap(signature => describe(signature.comment)),
        signatureOf(`interface ${name}${types}${extended(declaration)} ${shortObject(declaration, own)}`),
        ...tagsOf(declaration.comment),
        ...signatures.flatMap(signature => [...parametersOf(signature), ...tagsOf(signature.comment)]),
        ...membersOf(own)
      ]
    }
    case 'type': {
      const { type } = declaration
      const inner = type?.type === 'reflection' ? type.declaration : undefined
      const signature = inner?.signatures?.[0]
      return [
        ...describe(declaration.comment ?? signature?.comment),
        signatureOf(`type ${name}${types} =${spaced(printType(type))}`),
        ...tagsOf(declaration.comment ?? signature?.comment)
      ]
    }
  }
}

const spaced = (type: string): string => (type.startsWith('\n') ? type : ` ${type}`)

const extended = ({ extendedTypes = [] }: Declaration): string => {
  return extendedTypes.length === 0 ? '' : ` extends ${extendedTypes.map(printType).join(', ')}`
}

/** Returns the members that a declaration states itself: the stack of an Error is documented elsewhere. */
const members = ({ children = [] }: Declaration): Declaration[] =>
  children.filter(({ name, flags }) => name !== 'constructor' && !name.startsWith('[') && !flags.isExternal)

/** Prints the members without their comments, which follow below. */
const shortObject = (declaration: Declaration, own: readonly Declaration[]): string =>
  printObject({ ...declaration, children: own.map(({ comment, ...member }) => member) })

function membersOf(own: readonly Declaration[]): string[] {
  if (own.length === 0) return []
  const rows = own.flatMap(member => {
    const { name, flags, comment, signatures = [] } = member
    const said = comment ?? signatures[0]?.comment
    const marks = [flags.isOptional && 'optional', flags.isReadonly && 'read-only', flags.isInherited && 'inherited']
    const marked = marks.filter(mark => mark).join(', ')
    const printed = printMember(member)
    return [
      `### ${/^[\w$]+$/.test(name) ? name : `\`${name}\``}`,
      printed.includes('\n') || printed.length > 60
        ? signatureOf(printed)
        : `\`${typeIn(printed)}\`${marked && `, ${marked}`}`,
      ...describe(said),
      ...tagsOf(said, '####')
    ]
  })
  return ['## Properties', ...rows]
}

/** Returns the type of a printed property; a method is shown whole. */
const typeIn = (printed: string): string => /^(?:readonly )?(?:\w+|'[^']+')\??: (.+)$/.exec(printed)?.[1] ?? printed

function parametersOf({ parameters = [], type, comment }: JSONOutput.SignatureReflection): string[] {
  const rows = parameters.map(({ name, type, flags, comment }) => {
    const isOptional = flags.isOptional ? ', optional' : ''
    return `| \`${name}\`${isOptional} | ${inCell(code(printType(type)))} | ${inCell(markdownOf(comment?.summary))} |`
  })
  const returned = comment?.blockTags?.find(({ tag }) => tag === '@returns')
  const isSaid = parameters.some(({ comment }) => comment !== undefined)
  const table = isSaid
    ? ['| name | type | meaning |', '|---|---|---|', ...rows]
    : ['| name | type |', '|---|---|', ...rows.map(row => row.replace(/ \| {2}\|$/, ' |'))]
  return [
    parameters.length > 0 ? `## Parameters\n\n${table.join('\n')}` : '',
    `## Returns\n\n${joined([code(printType(type)), markdownOf(returned?.content)])}`
  ]
}

/** Returns inline code on one line; a bar would end the cell of a table. */
const code = (text: string): string => `\`${text.replace(/\s+/g, ' ').trim()}\``

const describe = (comment: Comment | undefined): string[] => [markdownOf(comment?.summary)]

function tagsOf(comment: Comment | undefined, level = '##'): string[] {
  const contents = (tag: string) =>
    (comment?.blockTags ?? []).filter(block => block.tag === tag).map(({ content }) => markdownOf(content))
  const [errors, examples, sees] = [contents('@throws'), contents('@example'), contents('@see')]
  return [
    errors.length > 0 ? `${level} Errors\n\n${list(errors)}` : '',
    examples.length > 0
      ? `${level} ${examples.length > 1 ? 'Examples' : 'Example'}\n\n${examples.map(fenced).join('\n\n')}`
      : '',
    sees.length > 0 ? `${level} See also\n\n${list(sees)}` : ''
  ]
}

const list = (items: readonly string[]): string =>
  items.length === 1 ? items[0]! : items.map(item => `- ${item.replace(/\n/g, '\n  ')}`).join('\n')

const fenced = (example: string): string => (example.includes('```') ? example : codeOf(example))

const codeOf = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``
/** Makes a block in which the names of other exports become links. */
const signatureOf = (text: string): string => `\`\`\`signature\n${text}\n\`\`\``

const markdownOf = (parts: readonly JSONOutput.CommentDisplayPart[] | undefined): string => plainText(parts).trim()

const joined = (parts: readonly (string | false | undefined)[]): string =>
  `${parts.filter(part => part).join('\n\n')}\n`

/** Returns the first sentence of a text, without characters that a table cannot hold. */
const firstSentence = (text: string): string =>
  /^[\s\S]*?[^.]\.(?=\s|$)/.exec(text.split('\n\n')[0]!)?.[0] ?? text.split('\n\n')[0]!

const inCell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/(?<!\\)\|/g, '\\|')
    .trim()

export const summaryOf = ({ declaration }: Export): string =>
  markdownOf(
    (declaration.comment ?? declaration.signatures?.[0]?.comment)?.summary ??
      typeSignature(declaration)?.comment?.summary
  )

const typeSignature = ({ type }: Declaration): JSONOutput.SignatureReflection | undefined =>
  type?.type === 'reflection' ? type.declaration.signatures?.[0] : undefined

/** Lists for each export the exports whose signatures name it. */
function usersOf(all: readonly Export[]): Map<Export, Export[]> {
  const byId = new Map(all.map(one => [Number(one.declaration.id), one]))
  const users = new Map<Export, Export[]>()
  for (const user of all) {
    const targets = new Set(idsIn(user.declaration))
    for (const target of targets) {
      const used = byId.get(target)
      if (used !== undefined && used !== user) users.set(used, [...(users.get(used) ?? []), user])
    }
  }
  return users
}

/** TypeDoc notes other declarations under these names. */
const NOTES = ['extendedBy', 'inheritedFrom', 'overwrites', 'implementationOf']

/** Returns the ids that a type or declaration refers to, at any depth. */
function idsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(idsIn)
  const { type, target } = value as { type?: unknown; target?: unknown }
  const own = type === 'reference' && typeof target === 'number' ? [target] : []
  const inside = Object.entries(value).flatMap(([key, part]) => (NOTES.includes(key) ? [] : idsIn(part)))
  return [...own, ...inside]
}
