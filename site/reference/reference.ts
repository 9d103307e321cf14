import { fileURLToPath } from 'node:url'
import {
  Application,
  type DeclarationReflection,
  type JSONOutput,
  type PageDefinition,
  type ProjectReflection,
  type Reflection,
  ReflectionKind
} from 'typedoc'
import { MarkdownPageEvent, type MarkdownRenderer, MemberRouter } from 'typedoc-plugin-markdown'

/** Names a place in the guides, such as a section of a page. */
export interface Mention {
  /** the title of the page, and of the section below it */
  title: string
  /** the address, from the root of the site */
  address: string
}

/** An entry of a package, such as `signed-requests/replay`. */
export interface Entry {
  name: string
  /** the address of its page, such as `reference/replay/` */
  address: string
  /** the exports that have their page here, by kind */
  exports: readonly { name: string; address: string }[]
}

const MAIN = 'signed-requests'
const VECTORS = 'signed-requests-vectors'
const TYPES = ReflectionKind.Interface | ReflectionKind.TypeAlias

/** Returns the folder of an entry, such as `replay/` of `signed-requests/replay` and `vectors/`. */
const folderOf = ({ name }: Reflection): string => (name === MAIN ? '' : `${name.slice(MAIN.length + 1)}/`)

/** Returns the path of an export's page. Types have a folder: `LogRecord` is what `logRecord` returns. */
const pathOf = (one: Reflection): string => `${folderOf(one.parent!)}${one.kindOf(TYPES) ? 'types/' : ''}${one.name}`

class Router extends MemberRouter {
  /** Lets the main entry's page be the first one; TypeDoc would write one for the project, too. */
  override buildPages(project: ProjectReflection): PageDefinition[] {
    return super.buildPages(project).filter(({ model }) => model !== project)
  }

  override getIdealBaseName(one: Reflection): string {
    return one.kindOf(ReflectionKind.Module) ? `${folderOf(one)}index` : pathOf(one)
  }
}

/**
 * Writes a page for each entry and each export into `folder`, and returns the Markdown by file, such as
 * `reference/replay/memoryReplayStore.md`. `mentionsOf` names the sections of the guides that explain an export.
 */
export async function makeReference(
  root: string,
  folder: string,
  mentionsOf: (name: string) => readonly Mention[]
): Promise<{ entries: Entry[]; pages: Map<string, string> }> {
  const app = await Application.bootstrapWithPlugins({
    options: `${root}/typedoc.json`,
    plugin: [fileURLToPath(import.meta.resolve('typedoc-plugin-markdown'))],
    logLevel: 'Warn',
    excludeExternals: true,
    groupOrder: ['Functions', 'Values', 'Errors', 'Interfaces', 'Types'],
    locales: {
      en: {
        kind_plural_variable: 'Values',
        kind_plural_class: 'Errors',
        kind_plural_type_alias: 'Types',
        tag_throws: 'Errors'
      }
    },
    // The options of the plugin.
    ...{
      router: 'site',
      publicPath: '/reference/',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      pageTitleTemplates: { module: '{name}', member: '{name}' },
      useCodeBlocks: true,
      expandObjects: true,
      expandParameters: true,
      typeDeclarationFormat: 'table',
      propertyMembersFormat: 'table',
      parametersFormat: 'table',
      indexFormat: 'table'
    }
  })
  const renderer = app.renderer as unknown as MarkdownRenderer
  renderer.defineRouter('site', Router)
  const project = await app.convert()
  if (project === undefined || app.logger.hasErrors()) throw new Error('TypeDoc could not read the entries')
  app.validate(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('TypeDoc found comments to complete: see above')

  const modules = project.children ?? []
  for (const module of modules) {
    // A type has one page, under the first entry that exports it: the others link to it.
    module.groups = module.groups?.filter(({ title }) => title !== 'References') ?? []
    for (const { children } of module.groups) children.sort((a, b) => a.name.localeCompare(b.name, 'en'))
  }
  const users = usersOf(modules.flatMap(ownOf), app.serializer.projectToObject(project, `${root}/` as never))
  const pages = new Map<string, string>()
  renderer.on(MarkdownPageEvent.END, page => {
    const one = page.model as DeclarationReflection
    page.contents = one.kindOf(ReflectionKind.Module)
      ? entryPage(one, modules, page.contents)
      : exportPage(one, modules, page.contents, users.get(one.id) ?? [], mentionsOf)
    pages.set(`reference/${page.url}`, page.contents)
  })
  await app.outputs.writeOutput({ name: 'markdown', path: folder }, project)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc could not write the reference')

  const entries = modules.map(module => ({
    name: module.name,
    address: `reference/${folderOf(module)}`,
    exports: ownOf(module).map(one => ({ name: one.name, address: `reference/${pathOf(one)}` }))
  }))
  return { entries, pages }
}

/** Returns the exports that have their page under this entry. */
const ownOf = ({ groups = [] }: DeclarationReflection): Reflection[] => groups.flatMap(({ children }) => children)

/** Returns the exports that have their page under another entry. */
const othersOf = ({ children = [] }: DeclarationReflection): Reflection[] =>
  children.flatMap(child => (child.isReference() ? [child.getTargetReflectionDeep()] : []))

const linksTo = (all: readonly Reflection[]): string =>
  all.map(one => `[\`${one.name}\`](/reference/${pathOf(one)}.md)`).join(', ')

/** Adds the other entries to the page of an entry, and the types that it exports too. */
function entryPage(module: DeclarationReflection, modules: readonly DeclarationReflection[], markdown: string): string {
  const { name } = module
  const others = othersOf(module)
  const rows = modules.map(one => `| [\`${one.name}\`](/reference/${folderOf(one)}index.md) | ${summaryOf(one)} |`)
  const entries = name === MAIN ? `## Entries\n\n| entry | what it has |\n|---|---|\n${rows.join('\n')}\n\n` : ''
  return joined([
    markdown.replace(/^(?=## )/m, entries),
    others.length > 0 && `## Also exported\n\nThe types that its own signatures show: ${linksTo(others)}.`
  ])
}

const summaryOf = ({ comment }: DeclarationReflection): string =>
  (comment?.summary ?? [])
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')

/** Adds to the page of an export how to import it, what uses it, and the guides. */
function exportPage(
  one: DeclarationReflection,
  modules: readonly DeclarationReflection[],
  markdown: string,
  users: readonly Reflection[],
  mentionsOf: (name: string) => readonly Mention[]
): string {
  const entry = one.parent!.name
  const also = modules.filter(module => othersOf(module).includes(one)).map(module => `\`${module.name}\``)
  const mentions = entry === VECTORS ? [] : mentionsOf(one.name)
  return joined([
    `# ${one.name}`,
    `\`\`\`ts\nimport ${one.kindOf(TYPES) ? 'type ' : ''}{ ${one.name} } from '${entry}'\n\`\`\``,
    also.length > 0 && `Also exported by ${also.join(', ')}.`,
    markdown.replace(/^# .*\n+/, '').replace(/^#+ Inherited from\n\n.*\n+/gm, ''),
    users.length > 0 && `## Used by\n\n${linksTo(users)}`,
    mentions.length > 0 &&
      `## In the guides\n\n${mentions.map(({ title, address }) => `- [${title}](${address})`).join('\n')}`
  ])
}

const joined = (parts: readonly (string | false)[]): string =>
  `${parts.flatMap(part => (part === false ? [] : part.trim())).join('\n\n')}\n`

/** Lists for the id of each export the exports whose signatures name it. */
function usersOf(all: readonly Reflection[], project: JSONOutput.ProjectReflection): Map<number, Reflection[]> {
  const byId = new Map(all.map(one => [Number(one.id), one]))
  const users = new Map<number, Reflection[]>()
  for (const declaration of (project.children ?? []).flatMap(({ children = [] }) => children)) {
    const user = byId.get(declaration.id)
    if (user === undefined) continue
    for (const target of new Set(idsIn(declaration))) {
      if (byId.has(target) && target !== declaration.id) users.set(target, [...(users.get(target) ?? []), user])
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
