import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, inject, test } from 'vitest'
import { FILES } from '../pages.ts'
import { BELOW } from './support/build.ts'
import { DIST } from './support/serve.ts'

const html = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.html') && file !== 'explain.html'
  )

describe.each([
  ['at the root', '/', () => DIST],
  ['below a path', BELOW, () => inject('belowPath')]
])('the files %s', (_, base, folderOf) => {
  const read = (file: string): string => readFileSync(`${folderOf()}/${file}`, 'utf8')

  test('each page has its policy first, without unsafe-inline, unsafe-eval or another host', () => {
    const wrong = html(folderOf()).filter(file => {
      const [, policy = ''] =
        /<head>\s*<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(read(file)) ?? []
      return !policy.startsWith("default-src 'none'; script-src 'self'") || /unsafe|https?:\/\/|\*/.test(policy)
    })
    expect(wrong).toEqual([])
  })

  test('no page has a style or a script in an attribute', () => {
    const tags = html(folderOf()).flatMap(file => read(file).match(/<[a-z][^<>]*\s(?:style|on[a-z]+)="[^"]*"/g) ?? [])
    expect(tags).toEqual([])
  })

  test('llms.txt leads to every page as Markdown, and llms-full.txt has all of them', () => {
    const index = read('llms.txt')
    const targets = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!)
    expect(targets.length).toBeGreaterThan(FILES.length)
    for (const target of targets) {
      expect(target.startsWith(base)).toBe(true)
      expect(read(target.slice(base.length)).length).toBeGreaterThan(200)
    }
    const all = read('llms-full.txt')
    for (const title of ['# Frameworks', '# Checks and codes', '# createVerifier', '# ReceivedRequest'])
      expect(all).toContain(`${title}\n`)
  })

  test('the links of the Markdown lead to the Markdown of the site, or to an absolute address', () => {
    const prose = read('llms-full.txt').replace(/^ *```[\s\S]*?^ *```$/gm, '')
    const wrong = [...prose.matchAll(/\]\(((?!https?:|#|\/)[^)\s]+)\)/g)].map(([all]) => all)
    expect(wrong.filter(link => !/\]\((?:mailto:|\.\.\.)/.test(link))).toEqual([])
  })
})

test('the page that explains a request may ask a resolver, and no other page may ask anybody', () => {
  const policies = new Map(
    html(DIST).map(file => [file, /connect-src [^;"]*/.exec(readFileSync(`${DIST}/${file}`, 'utf8'))?.[0]])
  )
  expect(policies.get('explain/index.html')).toBe("connect-src 'self' https:")
  policies.delete('explain/index.html')
  expect([...new Set(policies.values())]).toEqual(["connect-src 'self'"])
  const [, policy = ''] =
    /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(`${DIST}/explain.html`, 'utf8')) ??
    []
  expect(policy).toContain('connect-src https:')
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
})
