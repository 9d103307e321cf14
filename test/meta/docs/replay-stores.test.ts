import { expect, test } from 'vitest'
import { postgresReplayTable } from '../../../src/replay/index.ts'
import { read } from './pages.ts'

test('the page shows the DDL of the Postgres table', () => {
  expect(read('docs/replay-stores.md')).toContain(`\`\`\`sql\n${postgresReplayTable()}\`\`\`\n`)
})
