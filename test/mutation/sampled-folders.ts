/** Describes a folder around the verifier: the files to change, and the tests that run its code, the quickest first. */
export interface Folder {
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

/**
 * A process that a test starts does not see the change. So tests that only start processes are left out, and so are the
 * files that only run in one: `bin.ts`, `main.ts` and `cli.ts` of the gateway, and the page, which runs in a browser.
 * Tests that compare times are left out, because code that is prepared for mutants is slower.
 */
export const FOLDERS: Readonly<Record<string, Folder>> = {
  platforms: { files: ['src/platforms/**/*.ts'], tests: ['test/unit/platforms/', 'test/servers/https.test.ts'] },
  replay: { files: ['src/replay/**/*.ts'], tests: ['test/unit/replay/'] },
  'gateway/src': {
    files: ['gateway/src/*.ts', '!gateway/src/bin.ts', '!gateway/src/cli.ts'],
    tests: ['gateway/test/*.test.ts', 'gateway/test/admin/through-gateway.test.ts']
  },
  'gateway/src/admin': { files: ['gateway/src/admin/*.ts'], tests: ['gateway/test/admin/'] },
  'gateway/src/options': {
    files: ['gateway/src/options/*.ts'],
    tests: ['gateway/test/options/', 'gateway/test/options.test.ts', 'gateway/test/authorize.test.ts', 'test/flags/']
  },
  recorder: { files: ['src/recorder/**/*.ts'], tests: ['test/unit/recorder/recorder.test.ts', 'test/unit/recorder/'] },
  fixture: {
    files: ['src/fixture/**/*.ts'],
    tests: [
      'test/unit/fixture/',
      'test/unit/testing/capture-fixture.test.ts',
      'test/vectors/vectors.test.ts',
      'test/vectors/fixtures/',
      'test/unit/recorder/replays.test.ts'
    ]
  },
  explain: {
    files: ['src/explain/*.ts', 'src/explain/causes/*.ts', '!src/explain/search-budget.ts'],
    // The page of all causes and fixes is generated from the code.
    tests: ['test/unit/explain/', 'test/meta/docs/checks-and-codes.test.ts', 'test/vectors/vectors.test.ts']
  },
  testing: { files: ['src/testing/**/*.ts'], tests: ['test/unit/testing/', 'test/unit/replay/memory.test.ts'] },
  account: { files: ['src/account/**/*.ts'], tests: ['test/unit/account/', 'test/cli/account.test.ts'] },
  doh: { files: ['src/doh/**/*.ts'], tests: ['test/unit/doh/'] },
  flags: { files: ['flags/**/*.ts'], tests: ['test/flags/', 'test/cli/usage.test.ts', 'test/cli/help.test.ts'] },
  cli: { files: ['cli/*.ts', '!cli/bin.ts', '!cli/main.ts'], tests: ['test/cli/*.test.ts'] },
  'cli/captures': { files: ['cli/captures/*.ts'], tests: ['test/cli/captures/'] },
  'cli/explain': {
    files: ['cli/explain/*.ts'],
    tests: ['test/cli/explain/', 'test/cli/help.test.ts', 'test/cli/cli.test.ts', 'test/cli/captures/not-held.test.ts']
  },
  'cli/key': { files: ['cli/key/*.ts'], tests: ['test/cli/key/', 'test/cli/help.test.ts', 'test/cli/cli.test.ts'] },
  'cli/send': {
    files: ['cli/send/*.ts'],
    tests: ['test/cli/send/', 'test/cli/help.test.ts', 'test/cli/usage.test.ts', 'test/cli/send.test.ts']
  }
}
