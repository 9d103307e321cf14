import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

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

/** Opens a tab, and collects errors, policy violations, and requests to other hosts. */
export async function openTab(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  onTestFinished(() => context.close())
  const troubles: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', error => troubles.push(`${page.url()}: ${error}`))
  page.on('request', request => {
    if (!request.url().startsWith(url)) troubles.push(`${page.url()} asks for ${request.url()}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) troubles.push(`${page.url()}: ${response.status()} for ${response.url()}`)
  })
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', event => console.error('policy: ' + event.violatedDirective + ' ' + " +
      'event.blockedURI))'
  )
  return { page, troubles }
}

/** Loads a page, and waits until its scripts have taken over. */
export async function load(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await expect
    .poll(() =>
      page.evaluate("!('__VP_HASH_MAP__' in window) || document.querySelector('#app')?.__vue_app__ !== undefined")
    )
    .toBe(true)
}
