import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'

/** Matches a comment and the start of the exported function or class below it. Other constants have none: see the limit. */
const ABOVE_AN_EXPORT =
  /^\/\*\*((?:(?!\*\/)[\s\S])*\*\/\nexport (?:(?:async )?function\b|class\b|const \w+ = (?:async )?(?:[(<]|\w+ =>)))/gm

/** Matches an example in a comment; the declarations have it. */
const EXAMPLE = /\n \*\n \* @example\n[\s\S]*?(?=\n \*\n \* @|\n \*\/)/g

/** Matches the files without comments: those that only word a cause decide nothing. */
const WITHOUT_COMMENTS = /\/src\/explain\/(?!(?:diagnose|explain)\.ts$)/

/** Settings of every build: code that a person can read, for the oldest Node.js that is supported. */
export const readable: Options = {
  target: 'node20',
  splitting: true,
  removeNodeProtocol: false,
  silent: true
}

/**
 * The same, with the comments above exported functions of the library. Whoever reads what runs finds them in the ES
 * modules: the CommonJS form has the same code, and the tarball has a limit of 500 KB.
 *
 * esbuild drops all comments but legal ones, which begin with `/*!`: a comment above an export is one while it runs.
 */
export const commented: Options = {
  ...readable,
  esbuildOptions(options) {
    options.legalComments = 'inline'
  },
  esbuildPlugins: [
    {
      name: 'keep-comments',
      setup({ onLoad }) {
        onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
          if (WITHOUT_COMMENTS.test(path)) return undefined
          return { contents: withLegalComments(await readFile(path, 'utf8')), loader: 'ts' }
        })
      }
    }
  ],
  plugins: [{ name: 'keep-comments', renderChunk: code => ({ code: code.replace(/^\/\*!/gm, '/**') }) }]
}

const withLegalComments = (source: string): string =>
  source.replace(ABOVE_AN_EXPORT, (_, commented: string) => `/*!${commented.replace(EXAMPLE, '')}`)
