import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { makeExplainPage } from '../../explain/build.ts'
import { launchBrowser } from '../support/browser.ts'

export const SITE = 'https://site.example/docs/'

/** Builds the page and starts a browser, once for the tests of a file. */
export function useExplain() {
  let browser: Browser
  let folder: string
  let html: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'explain-'))
    html = await makeExplainPage(SITE)
    await writeFile(join(folder, 'explain.html'), html)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true })
  })

  /** Opens the file, and collects errors, dialogs, policy violations and requests to other addresses. */
  async function open(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    const url = pathToFileURL(join(folder, 'explain.html')).href
    const troubles: string[] = []
    page.on('console', message => troubles.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', error => troubles.push(String(error)))
    page.on('popup', popup => troubles.push(`popup: ${popup.url()}`))
    page.on('dialog', dialog => {
      troubles.push(`dialog: ${dialog.message()}`)
      dialog.dismiss().catch(() => {})
    })
    context.on('request', request => {
      if (request.url() !== url && !/^(?:blob|data):/.test(request.url())) troubles.push(`request: ${request.url()}`)
    })
    await page.goto(url)
    return { page, context, troubles, url, close: () => context.close() }
  }
  return { open, html: () => html }
}
