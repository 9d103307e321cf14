import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { QUESTIONS } from './questions.ts'
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

/** Opens the search as a person does, with its index loaded. */
async function openSearch(): Promise<{ page: Page; troubles: string[] }> {
  const { page, troubles } = await openTab(browser, site.url)
  await load(page, site.url)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Write a question' }).waitFor()
  return { page, troubles }
}

/** Returns the addresses of the results, best first, without the site's own. */
const resultsOf = async (page: Page): Promise<string[]> => {
  const links = (await page.evaluate(
    "[...document.querySelectorAll('#search-results a')].map(({ href }) => href)"
  )) as string[]
  return links.map(link => link.slice(site.url.length))
}

async function ask(page: Page, question: string): Promise<string[]> {
  await page.getByRole('combobox', { name: 'Search' }).fill(question)
  await page.getByRole('option').first().waitFor()
  return resultsOf(page)
}

test('at least 40 questions in the words of a user', () => {
  expect(new Set(QUESTIONS.map(([question]) => question)).size).toBe(QUESTIONS.length)
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(40)
})

test('each question has its page among the first three results', async () => {
  const { page, troubles } = await openSearch()
  const missed: unknown[] = []
  for (const [question, ...pages] of QUESTIONS) {
    const first = (await ask(page, question)).slice(0, 3)
    if (!first.some(result => pages.includes(result.split('#')[0]!))) missed.push({ question, first })
  }
  expect(missed).toEqual([])
  expect(troubles).toEqual([])
})

test('a code, an option and an export are found by their names, first', async () => {
  const { page } = await openSearch()
  for (const [name, address] of [
    ['date-too-old', 'codes/date-too-old.html'],
    ['key-lookup-timeout', 'codes/key-lookup-timeout.html'],
    ['createVerifier', 'reference/createVerifier.html'],
    ['ReceivedRequest', 'reference/types/ReceivedRequest.html'],
    ['memoryReplayStore', 'reference/replay/memoryReplayStore.html']
  ] as const) {
    expect([name, (await ask(page, name))[0]]).toEqual([name, address])
  }
  expect(await ask(page, 'dateTolerance')).toContain('reference/types/VerifierOptions.html#datetolerance')
})

test('of one page at most two sections are shown', async () => {
  const { page } = await openSearch()
  const pages = (await ask(page, 'signature')).map(result => result.split('#')[0])
  const most = Math.max(...pages.map(one => pages.filter(other => other === one).length))
  expect(most).toBeLessThanOrEqual(2)
})

test('works by keyboard alone: opens, moves, follows a result, and closes', async () => {
  const { page, troubles } = await openSearch()
  await page.keyboard.type('nginx')
  await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(2)
  const results = await resultsOf(page)
  const chosen = () => page.getByRole('option', { selected: true }).getAttribute('href')
  expect(await chosen()).toBe(`/${results[0]}`)
  await page.keyboard.press('ArrowDown')
  await expect.poll(chosen).toBe(`/${results[1]}`)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await expect.poll(chosen).toBe(`/${results.at(-1)}`)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toBe(site.url + results[0])
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  expect(troubles).toEqual([])
})

test('says when nothing is found', async () => {
  const { page } = await openSearch()
  await page.keyboard.type('xyzzyqqq')
  await page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor()
  expect(await page.getByRole('option').count()).toBe(0)
})

test('keeps nothing in the browser of what was asked', async () => {
  const { page } = await openSearch()
  await ask(page, 'a secret question about nginx')
  expect(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
  ).not.toContain('secret')
})
