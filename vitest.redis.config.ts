import { defineConfig } from 'vitest/config'

/** The longer tests, of several processes that share a real Redis: `npm run test:redis`. */
export default defineConfig({
  test: {
    include: ['test/**/*.redis.ts'],
    testTimeout: 60_000
  }
})
