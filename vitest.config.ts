import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

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
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    maxWorkers: '100%'
  }
})
