import { Application, type JSONOutput, ReflectionKind } from 'typedoc'

/** Describes an export of an entry of a package, as TypeDoc read it. */
export interface Export {
  name: string
  /** the name that users import it by, such as `signed-requests/replay` */
  entry: string
  /** other entries that export it too */
  alsoIn: readonly string[]
  kind: Kind
  declaration: JSONOutput.DeclarationReflection
}

export type Kind = 'function' | 'value' | 'class' | 'interface' | 'type'

export interface Entry {
  name: string
  summary: readonly JSONOutput.CommentDisplayPart[]
  exports: readonly Export[]
  /** exports whose page is under another entry */
  references: readonly Export[]
}

/** This package is a file of declarations. */
const VECTORS = 'signed-requests-vectors'

/** Reads all entries of the packages with the settings of typedoc.json. */
export async function convert(root: string): Promise<Entry[]> {
  const app = await Application.bootstrapWithPlugins({ options: `${root}/typedoc.json`, emit: 'none' })
  const project = await app.convert()
  if (project === undefined || app.logger.hasErrors()) throw new Error('TypeDoc could not read the entries')
  app.validate(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('TypeDoc found comments to complete: see above')
  const { children: modules = [] } = app.serializer.projectToObject(project, `${root}/` as never)
  return entriesOf(modules)
}

function entriesOf(modules: NonNullable<JSONOutput.ProjectReflection['children']>): Entry[] {
  const named = modules.map(module => ({ module, entry: entryName(module.name) }))
  const byId = new Map<number, Export>()
  const alsoIn = new Map<number, string[]>()
  for (const { module, entry } of named) {
    for (const child of module.children ?? []) {
      if (child.variant === 'reference') {
        const { target } = child as JSONOutput.ReferenceReflection
        alsoIn.set(target, [...(alsoIn.get(target) ?? []), entry])
      } else {
        const declaration = child as JSONOutput.DeclarationReflection
        byId.set(child.id, { name: child.name, entry, alsoIn: [], kind: kindOf(child.kind), declaration })
      }
    }
  }
  for (const [id, one] of byId) byId.set(id, { ...one, alsoIn: alsoIn.get(id) ?? [] })
  const found = [...byId.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
  return named.map(({ module, entry }) => ({
    name: entry,
    summary: module.comment?.summary ?? [],
    exports: found.filter(one => one.entry === entry),
    references: found.filter(one => one.alsoIn.includes(entry))
  }))
}

const entryName = (module: string): string => (module.startsWith('signed-requests') ? module : VECTORS)

function kindOf(kind: ReflectionKind): Kind {
  switch (kind) {
    case ReflectionKind.Function:
      return 'function'
    case ReflectionKind.Variable:
      return 'value'
    case ReflectionKind.Class:
      return 'class'
    case ReflectionKind.Interface:
      return 'interface'
    case ReflectionKind.TypeAlias:
      return 'type'
    default:
      throw new Error(`the reference has no page for a ${ReflectionKind[kind]}`)
  }
}
