import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

/** Uses Debian's own browser. Its sandbox needs a user that is not root. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync) ?? '/usr/bin/chromium',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update'
    ]
  })

/**
 * Opens a page with a context of its own, and collects errors, dialogs, policy violations and requests to other
 * addresses.
 */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
  })
  page.on('pageerror', error => troubles.push(String(error)))
  page.on('dialog', dialog => {
    troubles.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  page.on('popup', popup => troubles.push(`popup: ${popup.url()}`))
  page.on('request', request => {
    if (!request.url().startsWith(url)) troubles.push(`request: ${request.url()}`)
  })
  await page.goto(url)
  await page.locator('#connection[data-state=live]').waitFor()
  return { page, troubles, close: () => context.close() }
}

/** Nothing is wider than the window. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const wide =
    await page.evaluate(`[document.documentElement, ...document.querySelectorAll('main, section, article, li, a, dd, p, h2, h3, pre')]
    .filter(node => node.getBoundingClientRect().right > innerWidth + 0.5 && getComputedStyle(node).clipPath === 'none')
    .map(node => node.tagName + '.' + node.className)`)
  expect(wide).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}
