import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'

const DOOR = resolve('src/tools/index.ts')
const NAMES = /export (?:type )?\{([^}]*)\} from '([^']+)'/g
const IMPORT = /import \{([^}]*)\} from '([./]*src\/tools\/index\.ts)'/g

const namesIn = (list: string): string[] => list.split(',').map(name => name.trim())

/**
 * Has the command line import each name of the door from its own file. To a bundler that splits, whoever imports one
 * name of a file needs all that the file imports: `--help` would load the whole library.
 */
export const pastDoor: Plugin = {
  name: 'past-door',
  setup(build) {
    const exported = [...readFileSync(DOOR, 'utf8').matchAll(NAMES)]
    const files = new Map(
      exported.flatMap(([, list = '', from = '']) =>
        namesIn(list).map(name => [name, resolve(dirname(DOOR), from)] as const)
      )
    )
    build.onLoad({ filter: /[/\\](?:cli|flags)[/\\].*\.ts$/ }, ({ path }) => {
      const importOf = (name: string): string => {
        const file = relative(dirname(path), files.get(name)!).replaceAll('\\', '/')
        return `import { ${name} } from '${file}';`
      }
      const contents = readFileSync(path, 'utf8').replace(IMPORT, (_, list: string) =>
        namesIn(list)
          .filter(name => name !== '' && !name.startsWith('type '))
          .map(importOf)
          .join(' ')
      )
      return { contents, loader: 'ts' }
    })
  }
}
