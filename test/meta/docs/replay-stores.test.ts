import { expect, test } from 'vitest'
import { postgresReplayTable } from '../../../src/replay/index.ts'
import { blocksOf } from './pages.ts'

test('the page shows the DDL of the Postgres table, in lines that fit', () => {
  const onOneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')
  const shown = blocksOf('docs/replay-stores.md').filter(({ language }) => language === 'sql')
  expect(shown.map(({ code }) => onOneLine(code))).toEqual([onOneLine(postgresReplayTable())])
})
