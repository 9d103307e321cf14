import { expect, test } from 'vitest'
import { KEY_TAGS } from '../../../src/core/key/record.ts'
import { read } from './pages.ts'

test.each(KEY_TAGS)('both pages have the rule of the tag %s=', tag => {
  expect(read('fixtures/README.md')).toMatch(new RegExp(`^\\| \`${tag}\` \\|`, 'm'))
  expect(read('docs/keys-and-dns.md')).toContain(`\`${tag}=`)
})
