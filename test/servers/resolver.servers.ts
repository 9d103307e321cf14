import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { blocksOf } from '../meta/docs/pages.ts'

test('unbound accepts the configuration of the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unbound-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [block] = blocksOf('docs/keys-and-dns.md').filter(({ code }) => code.startsWith('server:\n'))
  const file = join(folder, 'unbound.conf')
  writeFileSync(file, block!.code)
  const path = `${process.env['PATH']}:/usr/sbin`
  const said = execFileSync('unbound-checkconf', [file], { encoding: 'utf8', env: { ...process.env, PATH: path } })
  expect(said).toContain('no errors')
})
