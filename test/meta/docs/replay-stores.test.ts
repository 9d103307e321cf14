import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { postgresReplayTable } from '../../../src/replay/index.ts'

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const page = read('docs/replay-stores.md')

test.each(['stores/dynamodb.ts', 'stores/durable-object.ts'])('the page shows %s as it is', name => {
  expect(page).toContain(`<!-- example: ${name} -->\n\`\`\`ts\n${read(`examples/${name}`)}\`\`\`\n`)
})

test('the page shows the DDL of the Postgres table', () => {
  expect(page).toContain(`\`\`\`sql\n${postgresReplayTable()}\`\`\`\n`)
})
