import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Lists the tests that replace modules or what every lookup in their process asks, or count its verdicts. All others
 * share the modules of their process, which halves the time.
 */
const ISOLATED = [
  'test/unit/core/key/dns.test.ts',
  'test/unit/core/verdict/diagnostics.test.ts',
  'test/unit/core/signature/representative.test.ts',
  'test/unit/core/signature/runtime-ways.test.ts',
  'test/unit/account/example.test.ts'
]

/** Makes the files that tests start as the two commands. */
const globalSetup = 'test/support/bundles.ts'

/** A third of their time these wait for sockets and processes. */
const WORKERS = Math.max(4, availableParallelism())

/** Lists the tests that compile every example, or all declarations: part of `npm run check`. */
const COMPILED = [
  'test/meta/docs/code-blocks.test.ts',
  'test/meta/docs/public-types.test.ts',
  'test/meta/docs/source-examples.test.ts'
]

export default defineConfig({
  // Examples import the package by its name.
  resolve: {
    alias: [
      { find: /^signed-requests$/, replacement: at('src/index.ts') },
      { find: /^signed-requests\/([\w-]+)$/, replacement: at('src/$1/index.ts') }
    ]
  },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: '100%',
    projects: [
      // npm test: needs nothing beyond npm ci.
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          globalSetup,
          maxWorkers: WORKERS,
          include: ['test/**/*.test.ts', 'gateway/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ISOLATED, ...COMPILED]
        }
      },
      { extends: true, test: { name: 'isolated', maxWorkers: WORKERS, include: ISOLATED } },
      // npm run test:costs: time and memory are measured, so each file has the machine to itself.
      {
        extends: true,
        test: {
          name: 'costs',
          globalSetup,
          include: ['test/**/*.costs.ts', 'gateway/test/**/*.costs.ts'],
          fileParallelism: false
        }
      },
      // npm run check:docs.
      { extends: true, test: { name: 'docs', include: ['test/meta/docs/*.test.ts'] } },
      // npm run test:frameworks: each one replaces what every look-up asks, or the modules of an example.
      { extends: true, test: { name: 'frameworks', maxWorkers: WORKERS, include: ['examples/test/*.test.ts'] } },
      // npm run test:servers: real servers from Debian packages, started by the tests.
      {
        extends: true,
        test: {
          name: 'servers',
          globalSetup,
          include: ['test/servers/**/*.servers.ts', 'gateway/test/**/*.servers.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      },
      // npm run test:fleet: engines that fail over under load, one after the other: each has the machine to itself.
      {
        extends: true,
        test: {
          name: 'fleet',
          globalSetup,
          include: ['test/fleet/*.fleet.ts', 'gateway/test/*.fleet.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      },
      // npm run test:runtimes: the packed package on other runtimes.
      {
        extends: true,
        test: { name: 'runtimes', include: ['test/runtimes/*.runtimes.ts'], testTimeout: 120_000 }
      },
      // npm run test:interop: other implementations, from npm and Debian.
      {
        extends: true,
        test: {
          name: 'interop',
          include: ['test/interop/*.interop.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      },
      // npm run test:engines: proxies that ask before they forward, one after the other: each has the machine to
      // itself.
      {
        extends: true,
        test: {
          name: 'engines',
          globalSetup,
          include: ['gateway/test/engines/*.engines.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      },
      // npm run test:site: the built site in a browser.
      {
        test: {
          name: 'site',
          globalSetup: 'site/test/support/build.ts',
          include: ['site/**/*.site.ts'],
          testTimeout: 240_000,
          hookTimeout: 120_000
        }
      },
      // npm run check:package: the built package from its tarball, in a project of its own, without the aliases.
      {
        test: {
          name: 'package',
          include: ['test/meta/package/*.package.ts'],
          globalSetup: 'test/meta/package/install.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      }
    ]
  }
})
