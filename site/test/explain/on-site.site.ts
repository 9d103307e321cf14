import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { headOf, RECORD } from '../../../test/support/explain.ts'
import { runInside } from '../../../test/support/run-cli.ts'
import { service } from '../../../test/support/service.ts'
import { launchBrowser, load, openTab } from '../support/browser.ts'
import { BELOW } from '../support/build.ts'
import { DIST, serveSite } from '../support/serve.ts'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const body = '{"id":1}'
const capture = headOf(service.sign({ target: '/hook', body })) + body

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Waits for the form, whose program the page loads. */
async function open(page: Page, address: string): Promise<void> {
  await load(page, address)
  await page.getByRole('button', { name: 'a good request' }).waitFor()
}

async function explain(page: Page): Promise<{ status: string | null; text: string | null }> {
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#explained:not([hidden])').waitFor()
  return {
    status: await page.getByRole('status').textContent(),
    text: await page.locator('#explanation').textContent()
  }
}

describe.each([
  ['at the root of a server', '/', () => DIST],
  ['below a path', BELOW, () => inject('belowPath')]
])('the page of the site that explains, %s', (_, base, folderOf) => {
  let site: Awaited<ReturnType<typeof serveSite>>
  beforeAll(async () => {
    site = await serveSite(base, folderOf())
  })
  afterAll(() => site.close())

  test('gives a capture the status and the text of the command, with the settings of its address', async () => {
    const { page, troubles } = await openTab(browser, site.url)
    await open(page, `${site.url}explain/#domain=service.example&host=receiver.example&account=1234`)
    for (const [label, value] of [
      ['Domain', 'service.example'],
      ['Host', 'receiver.example'],
      ['Account', '1234']
    ] as const)
      expect([label, await page.getByLabel(label).inputValue()]).toEqual([label, value])
    for (const text of [capture, capture.replace('{"id":1}', '{"id":2}')]) {
      await page.getByLabel('Captured request').fill(text)
      await page.getByLabel('Key record').fill(RECORD)
      const flags = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
      const { stdout } = await runInside(['explain', ...flags, '--key-record', RECORD], text)
      expect((await explain(page)).text).toBe(stdout.trimEnd())
    }
    const link = page.locator('#causes h3 a')
    expect(await link.evaluate(({ href }: HTMLAnchorElement) => href)).toBe(`${site.url}codes/digest-mismatch.html`)
    expect(troubles).toEqual([])
  })

  test('has the bar and the search of the site, and both lead to other pages and back', async () => {
    const { page, troubles } = await openTab(browser, site.url)
    await load(page, `${site.url}overview.html`)
    const bar = page.getByRole('navigation', { name: 'Main Navigation' })
    await bar.getByRole('link', { name: 'Explain' }).click()
    await page.getByRole('button', { name: 'a good request' }).click()
    await page.locator('#status[data-status=verified]').waitFor()
    expect(new URL(page.url()).pathname).toBe(`${base}explain/`)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('date-too-old')
    await page.getByRole('option').first().click()
    await page.getByRole('heading', { level: 1, name: 'date-too-old' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'a good request' }).waitFor()
    expect(troubles).toEqual([])
  })
})

describe('the page of the site that explains', () => {
  let site: Awaited<ReturnType<typeof serveSite>>
  beforeAll(async () => {
    site = await serveSite()
  })
  afterAll(() => site.close())

  test('copies a link with the settings, and never with the request or the key', async () => {
    const { page } = await openTab(browser, site.url)
    await open(page, `${site.url}explain/`)
    await page.evaluate('navigator.clipboard.writeText = text => Promise.resolve(void (window.copied = text))')
    await page.getByRole('button', { name: 'another host' }).click()
    await page.getByLabel('ID header').fill('X-Brand ID')
    await page.getByLabel('Resolver').fill('https://resolver.example')
    await page.getByRole('button', { name: 'Copy link' }).click()
    const copied = new URL((await page.evaluate('window.copied')) as string)
    expect(copied.href.split('#')[0]).toBe(`${site.url}explain/`)
    const settings = Object.fromEntries(new URLSearchParams(copied.hash.slice(1)))
    expect(settings).toEqual({
      domain: 'service.example',
      host: 'hooks.example.com',
      account: '1234',
      'account-header': 'X-Brand ID'
    })
  })

  test('a link fills in no resolver, key, time, flag or request, and its text is bounded', async () => {
    const { page, troubles } = await openTab(browser, site.url)
    const others = ['capture', 'key-record', 'doh', 'now', 'more']
    const hash = [...others.map(id => `${id}=x`), `domain=${'a'.repeat(1000)}`, 'host=<b>%22'].join('&')
    await open(page, `${site.url}explain/#${hash}`)
    for (const id of others) expect([id, await page.locator(`#${id}`).inputValue()]).toEqual([id, ''])
    expect((await page.getByLabel('Domain').inputValue()).length).toBe(255)
    expect(await page.getByLabel('Host').inputValue()).toBe('<b>"')
    expect(troubles).toEqual([])
  })

  test('shows the result beside the form on a wide screen, and below it on a narrow one', async () => {
    const boxes = async (width: number) => {
      const { page } = await openTab(browser, site.url, { viewport: { width, height: 900 } })
      await open(page, `${site.url}explain/`)
      await page.getByRole('button', { name: 'a path that a proxy changed' }).click()
      await page.locator('#explained:not([hidden])').waitFor()
      expect(await page.locator('#headline').evaluate(node => node.getBoundingClientRect().top)).toBeLessThan(900)
      return {
        form: (await page.locator('#form').boundingBox())!,
        result: (await page.locator('#result').boundingBox())!
      }
    }
    const wide = await boxes(1280)
    expect(wide.result.x).toBeGreaterThan(wide.form.x + wide.form.width)
    const narrow = await boxes(360)
    expect(narrow.result.y).toBeGreaterThan(narrow.form.y + narrow.form.height)
    expect(narrow.form.x).toBeGreaterThanOrEqual(16)
  })

  test('follows the theme switch', async () => {
    const { page } = await openTab(browser, site.url, { colorScheme: 'light' })
    await open(page, `${site.url}explain/`)
    const color = () => page.locator('#capture').evaluate(node => getComputedStyle(node).backgroundColor)
    expect(await color()).toBe('rgb(255, 255, 255)')
    await page.getByRole('switch').first().click()
    await expect.poll(color).toBe('rgb(22, 25, 29)')
  })

  test.each(['light', 'dark'] as const)('has no fault that axe finds, and no overflow, in %s', async colorScheme => {
    for (const width of [360, 768, 1280, 1600]) {
      const { page, troubles } = await openTab(browser, site.url, { viewport: { width, height: 800 }, colorScheme })
      await page.addInitScript({ path: axe })
      await open(page, `${site.url}explain/`)
      await page.getByRole('button', { name: 'a path that a proxy changed' }).click()
      await page.locator('#explained:not([hidden])').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      const { violations } = (await page.evaluate(
        "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })"
      )) as { violations: { id: string; nodes: { html: string }[] }[] }
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
      expect(troubles).toEqual([])
    }
  })
})
