/** The public entries of the library, by the path that each has in `dist/`. */
export const ENTRIES = {
  index: 'src/index.ts',
  'account/index': 'src/account/index.ts',
  'doh/index': 'src/doh/index.ts',
  'recorder/index': 'src/recorder/index.ts',
  'replay/index': 'src/replay/index.ts',
  'rfc9421/index': 'src/rfc9421/index.ts',
  'testing/index': 'src/testing/index.ts'
}
