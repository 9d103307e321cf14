import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const [, places = ''] =
  /## Where things are\n(.*?)\n## /s.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []

/** What the tables name: a name with a dot is a file, one that ends in a slash a folder. */
const named = [...places.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name!)

describe('the tables of "Where things are"', () => {
  it('name every file and folder directly in src/', () => {
    const entries = readdirSync(join(root, 'src'), { withFileTypes: true })
    const missing = entries
      .map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter(name => !named.includes(name) && !named.includes(`src/${name}`))
    expect(missing).toEqual([])
  })

  it('name every folder of sources outside src/', () => {
    const folders = ['bench/', 'build/', 'docs/', 'examples/', 'fixtures/', 'src/', 'test/']
    expect(folders.filter(name => !named.includes(name))).toEqual([])
  })

  it('name nothing that does not exist', () => {
    const folders = ['.', 'src', ...readdirSync(join(root, 'src')).map(name => `src/${name}`)]
    const exists = (name: string) => folders.some(folder => existsSync(join(root, folder, name)))
    const paths = named.filter(name => /[./]/.test(name))
    expect(paths.filter(name => !exists(name))).toEqual([])
  })
})
