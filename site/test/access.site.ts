import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, GUIDES } from '../pages.ts'
import { launchBrowser, load, openTab } from './support/browser.ts'
import { serveSite } from './support/serve.ts'

let browser: Browser
let site: Awaited<ReturnType<typeof serveSite>>
beforeAll(async () => {
  browser = await launchBrowser()
  site = await serveSite()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Takes one page of each kind: the first one, text, long tables, code, pictures, help texts, types, a list of exports.
 */
const PAGES = [
  '',
  'overview.html',
  'frameworks.html',
  'behind-a-proxy.html',
  'design.html',
  'checks-and-codes.html',
  'codes/signature-mismatch.html',
  'command-line.html',
  'gateway.html',
  'reference/',
  'reference/createVerifier.html',
  'reference/types/VerifierOptions.html'
]

async function faultsOf(page: Page) {
  const { violations } = (await page.evaluate(
    "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })"
  )) as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }
  return violations.map(({ id, nodes }) => [
    id,
    nodes.slice(0, 3).map(({ html, failureSummary }) => [html, failureSummary])
  ])
}

describe.each(['light', 'dark'] as const)('in the %s scheme', colorScheme => {
  test.each([1280, 360])('axe finds no fault of WCAG 2.2 AA on each kind of page, at %i pixels', async width => {
    const { page } = await openTab(browser, site.url, { colorScheme, viewport: { width, height: 800 } })
    await page.addInitScript({ path: axe })
    const faults: unknown[] = []
    for (const address of PAGES) {
      await load(page, site.url + address)
      const found = await faultsOf(page)
      if (found.length > 0) faults.push({ address, found })
    }
    expect(faults).toEqual([])
  })

  test.each([1280, 360])('axe finds no fault in the search, at %i pixels', async width => {
    const { page } = await openTab(browser, site.url, { colorScheme, viewport: { width, height: 800 } })
    await page.addInitScript({ path: axe })
    await load(page, site.url)
    await page.getByRole('button', { name: 'Search' }).first().click()
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.type('nginx')
    await page.getByRole('option').first().waitFor()
    expect(await faultsOf(page)).toEqual([])
  })
})

test('a screen reader finds the landmarks, the title and names for all links and buttons, on each kind of page', async () => {
  const { page } = await openTab(browser, site.url)
  for (const address of PAGES) {
    await load(page, site.url + address)
    expect([address, await page.getByRole('heading', { level: 1 }).count()]).toEqual([address, 1])
    expect([address, await page.getByRole('main').count()]).toEqual([address, 1])
    expect([address, await page.getByRole('navigation').count()]).toEqual([address, expect.any(Number)])
    const snapshot = await page.locator('body').ariaSnapshot()
    const nameless = snapshot
      .split('\n')
      .filter(line => /^\s*- (?:link|button|textbox|combobox|switch|img)(?::|$)/.test(line))
    expect([address, nameless]).toEqual([address, []])
  }
})

test('the first Tab leads to a link that skips the menus', async () => {
  const { page } = await openTab(browser, site.url)
  await load(page, `${site.url}gateway.html`)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toMatch(/skip to content/i)
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.id')).toBe('VPContent')
})

test('each stop of the Tab key can be seen', async () => {
  const { page } = await openTab(browser, site.url)
  await load(page, `${site.url}reference/createVerifier.html`)
  const hidden: unknown[] = []
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab')
    const stop = (await page.evaluate(`(() => {
      const node = document.activeElement
      const { outlineStyle, boxShadow } = getComputedStyle(node)
      const { width, height } = node.getBoundingClientRect()
      return { tag: node.tagName, text: node.textContent.trim().slice(0, 40), isShown: width > 0 && height > 0, isMarked: outlineStyle !== 'none' || boxShadow !== 'none' }
    })()`)) as { tag: string; isShown: boolean; isMarked: boolean }
    if (stop.tag === 'BODY') break
    if (!stop.isShown || !stop.isMarked) hidden.push(stop)
  }
  expect(hidden).toEqual([])
})

test('at 360 pixels the menu opens, leads to a page and closes, by keyboard', async () => {
  const { page, troubles } = await openTab(browser, site.url, { viewport: { width: 360, height: 740 } })
  await load(page, `${site.url}overview.html`)
  await page.getByRole('button', { name: 'Menu' }).focus()
  await page.keyboard.press('Enter')
  const link = page.getByRole('navigation').getByRole('link', { name: 'Replay stores', exact: true })
  await link.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toBe(`${site.url}replay-stores.html`)
  await page.getByRole('heading', { level: 1, name: 'Replay stores' }).waitFor()
  expect(troubles).toEqual([])
})

test('each page has an outline, a previous and a next one', async () => {
  const { page } = await openTab(browser, site.url)
  await load(page, `${site.url}replay-stores.html`)
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Redis', exact: true }).click()
  await expect.poll(() => page.url()).toBe(`${site.url}replay-stores.html#redis`)
  const pager = page.getByRole('navigation', { name: 'Pager' })
  await pager.getByRole('link', { name: /Next page/ }).click()
  const next = GUIDES[GUIDES.indexOf('docs/replay-stores.md') + 1]!
  await expect.poll(() => page.url()).toBe(`${site.url}${addressOf(next)}.html`)
  await pager.getByRole('link', { name: /Previous page/ }).click()
  await expect.poll(() => page.url()).toBe(`${site.url}replay-stores.html`)
})

test('a person can switch between light and dark, and the choice lasts', async () => {
  const { page, troubles } = await openTab(browser, site.url, { colorScheme: 'light' })
  await load(page, site.url)
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await background()
  await page.getByRole('switch').first().click()
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await page.reload()
  expect(await background()).toBe(dark)
  expect(troubles).toEqual([])
})

test('nothing moves for people who prefer less motion', async () => {
  const { page } = await openTab(browser, site.url, { reducedMotion: 'reduce' })
  await load(page, site.url)
  expect(
    await page.evaluate(`[...document.querySelectorAll('*')].filter(node =>
      getComputedStyle(node).transitionDuration !== '0s' || getComputedStyle(node).animationName !== 'none').length`)
  ).toBe(0)
})

test('on paper there are no menus, and the dark scheme is dark on light', async () => {
  const { page } = await openTab(browser, site.url, { colorScheme: 'dark' })
  await load(page, `${site.url}gateway.html`)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const shown = await page.getByRole('navigation').filter({ visible: true }).count()
  expect([shown, await page.evaluate('getComputedStyle(document.body).color')]).toEqual([0, 'rgb(31, 35, 40)'])
})

test('code of 88 columns has its lines whole at 1280 pixels, and a longer line wraps', async () => {
  const { page } = await openTab(browser, site.url, { viewport: { width: 1280, height: 900 } })
  await load(page, `${site.url}overview.html`)
  const lines = await page.evaluate(`(() => {
    const line = document.querySelector('.vp-doc pre .line')
    return [88, 120].map(columns => {
      line.textContent = 'x'.repeat(columns)
      return [line.getClientRects()[0].height, line.closest('pre').scrollWidth > line.closest('pre').clientWidth]
    })
  })()`)
  const [[one, isCut], [two, isCutToo]] = lines as [[number, boolean], [number, boolean]]
  expect([isCut, isCutToo]).toEqual([false, false])
  expect(Math.round(two / one)).toBe(2)
})

test.each([768, 1280, 1600])('no kind of page is wider than %i pixels', async width => {
  const { page } = await openTab(browser, site.url, { viewport: { width, height: 900 } })
  const wide: string[] = []
  for (const address of PAGES) {
    await load(page, site.url + address)
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(address)
  }
  expect(wide).toEqual([])
})
