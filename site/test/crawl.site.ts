import { readdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { CODES } from '../../src/core/result/codes.ts'
import { launchBrowser, load, openTab } from './support/browser.ts'
import { BELOW } from './support/build.ts'
import { DIST, serveSite } from './support/serve.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const pagesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.html'))
    .sort()

interface Found {
  ids: string[]
  links: string[]
  isWide: boolean
  /** blocks of code whose ends are hidden */
  cut: number
}

/** Returns the ids, links, width and hidden code of a page in a browser, its menus included. */
const LOOK = `({
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  links: [...document.querySelectorAll('a[href], link[href]')].map(({ href }) => href),
  isWide: document.documentElement.scrollWidth > innerWidth,
  cut: [...document.querySelectorAll('.vp-doc pre')].filter(pre => pre.scrollWidth > pre.clientWidth).length
})`

describe.each([
  ['at the root of a server', '/', () => DIST],
  ['below a path', BELOW, () => inject('belowPath')]
])('%s', (_, base, folderOf) => {
  const found = new Map<string, Found>()
  let troubles: string[] = []
  let site: Awaited<ReturnType<typeof serveSite>>
  beforeAll(async () => {
    site = await serveSite(base, folderOf())
  })
  afterAll(() => site.close())

  test('no page causes an error, a report of the policy or a request to another host, at 360 pixels', async () => {
    const pages = pagesIn(folderOf())
    expect(pages.length).toBeGreaterThan(150)
    const queue = [...pages]
    const tab = async () => {
      const { page, troubles } = await openTab(browser, site.url, { viewport: { width: 360, height: 740 } })
      for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
        await load(page, site.url + file)
        found.set(file, (await page.evaluate(LOOK)) as Found)
      }
      return troubles
    }
    troubles = (await Promise.all([tab(), tab()])).flat()
    expect(troubles).toEqual([])
    expect(found.size).toBe(pages.length)
  })

  test('no page is wider than 360 pixels', () => {
    expect([...found].filter(([, { isWide }]) => isWide).map(([file]) => file)).toEqual([])
  })

  test('no block of code is cut at 360 pixels', () => {
    expect([...found].filter(([, { cut }]) => cut > 0).map(([file]) => file)).toEqual([])
  })

  test('every internal link leads to a page and, with an anchor, to its heading', async () => {
    const dead = new Set<string>()
    const files = new Map<string, boolean>()
    for (const [file, { links }] of found) {
      for (const link of links.filter(link => link.startsWith(site.url))) {
        const [path = '', anchor] = decodeURI(link.slice(site.url.length)).split('#')
        const target = path === '' || path.endsWith('/') ? `${path}index.html` : path
        const page = found.get(target)
        if (!files.has(target)) files.set(target, page !== undefined || (await fetch(site.url + target)).ok)
        const isThere = anchor === undefined || anchor === '' || page?.ids.includes(anchor)
        if (!files.get(target) || !isThere) dead.add(`${file}: ${link}`)
      }
    }
    expect([...dead]).toEqual([])
  })

  test('no link leaves the path of the site for another one of the same server', () => {
    const { origin } = new URL(site.url)
    const links = [...found.values()].flatMap(({ links }) => links)
    expect(links.filter(link => link.startsWith(origin) && !link.startsWith(site.url))).toEqual([])
  })

  test('each code has a page, and the index leads to it', () => {
    const pages = Object.keys(CODES).map(code => `codes/${code}.html`)
    expect([...found.keys()]).toEqual(expect.arrayContaining(pages))
    expect(found.get('checks-and-codes.html')?.links).toEqual(
      expect.arrayContaining(pages.map(page => site.url + page))
    )
  })
})
