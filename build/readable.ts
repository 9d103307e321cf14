import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'

/** Matches the start of a comment above an exported function, class or constant. */
const ABOVE_AN_EXPORT = /^\/\*\*(?=(?:(?!\*\/)[\s\S])*\*\/\nexport (?:async )?(?:function|const|class)\b)/gm

/** Settings of every build: code that a person can read, for the oldest Node.js that is supported. */
export const readable: Options = {
  target: 'node20',
  splitting: true,
  removeNodeProtocol: false,
  silent: true
}

/**
 * The same, with the comments above exports of the library. Who reads what runs finds them in the ES modules: the
 * CommonJS form has the same code, and the tarball a limit.
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
        onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
          contents: (await readFile(path, 'utf8')).replace(ABOVE_AN_EXPORT, '/*!'),
          loader: 'ts'
        }))
      }
    }
  ],
  plugins: [{ name: 'keep-comments', renderChunk: code => ({ code: code.replace(/^\/\*!/gm, '/**') }) }]
}
