import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launchBrowser, load, openTab } from './support/browser.ts'
import { BELOW } from './support/build.ts'
import { DIST, serveSite } from './support/serve.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Lists pages that have been linked to: each is still there, or leads to the one that has its content. */
const PAGES =
  'account behind-a-proxy changelog checks-and-codes command-line deploy design dns-over-https engines explain ' +
  'for-agents frameworks gateway index interop introduce keys-and-dns middleware operations options overview pages ' +
  'replay-and-retries replay-stores rfc9421 security several-services testing troubleshooting vectors ' +
  'writing-a-verifier reference/index reference/createVerifier'

test.each(PAGES.split(' '))('the page %s is there', page => expect(existsSync(`${DIST}/${page}.html`)).toBe(true))

describe.each([
  ['at the root of a server', '/', () => DIST],
  ['below a path', BELOW, () => inject('belowPath')]
])('an old address of a section, %s', (_, base, folderOf) => {
  test.each([
    ['checks-and-codes.html#date-too-old', 'codes/date-too-old.html'],
    ['checks-and-codes.html#digest-mismatch', 'codes/digest-mismatch.html'],
    ['checks-and-codes.html#codes-of-the-gateway', 'checks-and-codes.html#codes-of-the-gateway'],
    ['#ten-lines', '#ten-lines'],
    ['index.html#the-verdict', 'overview.html#the-verdict'],
    ['security.html#what-a-recorder-writes', 'threat-model.html#what-a-recorder-writes'],
    ['security.html#reporting', 'security.html#reporting'],
    ['account.html#find-it-once', 'account.html#find-your-account-id'],
    ['frameworks.html#test-your-handler', 'testing.html#in-a-test']
  ])('%s leads to %s', async (old, target) => {
    const site = await serveSite(base, folderOf())
    const { page, troubles } = await openTab(browser, site.url)
    await load(page, site.url + old)
    await expect.poll(() => page.url()).toBe(site.url + target)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(troubles).toEqual([])
    await site.close()
  })
})
