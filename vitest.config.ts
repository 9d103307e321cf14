import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const TIMED = ['test/properties/linear-time.test.ts']

export default defineConfig({
  // Examples import the package by its name.
  resolve: {
    alias: [
      { find: /^signed-requests$/, replacement: fileURLToPath(new URL('src/index.ts', import.meta.url)) },
      {
        find: /^signed-requests\/(\w+)$/,
        replacement: fileURLToPath(new URL('src/$1/index.ts', import.meta.url))
      }
    ]
  },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'], exclude: TIMED } },
      // What compares times has the machine to itself.
      { extends: true, test: { name: 'timed', include: TIMED, sequence: { groupOrder: 1 } } }
    ]
  }
})
