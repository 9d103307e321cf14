import { defineConfig } from 'vitest/config'

/** What a user gets: the built package, from its tarball, in a project of its own: `npm run check:package`. */
export default defineConfig({
  test: {
    include: ['test/package/*.package.ts'],
    globalSetup: 'test/package/install.ts',
    testTimeout: 60_000,
    maxWorkers: '100%'
  }
})
