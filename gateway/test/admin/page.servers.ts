import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { diagnose, type ReceivedRequest } from 'signed-requests'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { service, withHeaders } from '../../../test/support/service.ts'
import { send } from '../../../test/support/wire.ts'
import type { AdminSettings } from '../../src/admin/admin.ts'
import { loadPage, VERSION, withCodePages } from '../../src/page-files.ts'
import { ANY_ACCOUNT } from '../../src/seen-accounts.ts'
import { ask, startTestAdmin, startWithAdmin } from '../support/admin.ts'
import { expectNoOverflow, launchBrowser, openPage } from '../support/browser.ts'
import { exchangeOf } from '../support/exchanges.ts'
import { HOSTILE } from '../support/hostile.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ target: '/hook?id=42', body: '{"name":"Zoë"}', ...more })
const forged = () => ({ ...sign(), target: '/other?id=42' })
const changedOnTheWay = (value: string) => withHeaders(sign(), { 'Content-Type': value })
const scan = { method: 'GET', target: '/wp-login.php', headers: [], body: null, https: true }

/** Opens the page. No error may occur in it in any test. */
async function watch(address: string, options: BrowserContextOptions = {}) {
  const { page, troubles, close } = await openPage(browser, `http://${address}/`, options)
  onTestFinished(async () => {
    await close()
    expect(troubles).toEqual([])
  })
  const [rows, detail] = [page.locator('#signed li'), page.locator('#detail')]
  const counts = async () => (await page.locator('#counts').innerText()).replace(/[\s,]+/g, ' ')
  /** Opens the first line of the list. */
  const open = async () => {
    await rows.first().click({ position: { x: 5, y: 5 } })
    await detail.locator('.headers').waitFor()
  }
  return { page, troubles, rows, detail, counts, open }
}

/** Starts an admin address and opens a page on it. */
async function start(settings: Partial<AdminSettings> = {}, options: BrowserContextOptions = {}) {
  const admin = await startTestAdmin(settings)
  const record = async (...[request, changes, options]: Parameters<typeof exchangeOf>) => {
    const exchange = await exchangeOf(request, changes, { ...options, recorder: admin.recorder })
    admin.record(exchange)
    return exchange
  }
  return { admin, record, ...(await watch(admin.address, options)) }
}

/** Opens a page with the details of one request. */
async function startWith(request: ReceivedRequest, ...more: Parameters<typeof start>) {
  const started = await start(...more)
  const exchange = await started.record(request)
  await started.open()
  return { ...started, exchange }
}

/** Waits for a state that the page shows late on purpose. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 30_000 })

const focused = (page: Page) => page.evaluate('document.activeElement?.textContent.trim()')

describe('a refused request', () => {
  test('appears by itself', async () => {
    const { record, rows } = await start()
    await eventually(() => rows.count()).toBe(0)
    await record(forged())
    await rows.first().waitFor({ timeout: 10_000 })
    expect(await rows.first().innerText()).toMatch(/401\s+POST \/other\?id=42\s+signature-mismatch/)
  })

  test('opens by a click on its line, and closes', async () => {
    const { record, page, rows, detail, open } = await start()
    await record(sign())
    await record(forged())
    await open()
    await detail.getByRole('heading', { name: 'POST /other?id=42' }).waitFor()
    expect(await focused(page)).toBe('POST /other?id=42')
    expect(await rows.first().getByRole('link').getAttribute('aria-current')).toBe('true')
    await detail.getByRole('button', { name: 'Close' }).click()
    await detail.waitFor({ state: 'hidden' })
    expect(await focused(page)).toContain('POST /other?id=42')
    expect(await rows.locator('[aria-current]').count()).toBe(0)
  })

  test('opens by keyboard alone: Tab, arrows, Enter, Escape', async () => {
    const { record, page, rows, detail } = await start()
    for (const request of [forged(), sign({ target: '/second' }), sign({ target: '/third' })]) await record(request)
    await rows.nth(2).waitFor()
    // the filter, the search, the list
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    expect(await focused(page)).toContain('POST /third')
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toContain('POST /other?id=42')
    await page.keyboard.press('Enter')
    await detail.getByRole('heading', { level: 2 }).waitFor()
    await eventually(() => focused(page)).toBe('POST /other?id=42')
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'hidden' })
    expect(await focused(page)).toContain('401')
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toContain('POST /second')
  })

  test('is closed by the back button of the browser, and opened by its URL', async () => {
    const { page, detail } = await startWith(forged())
    const url = page.url()
    await page.goBack()
    await detail.waitFor({ state: 'hidden' })
    await page.goto('about:blank')
    await page.goto(url)
    await detail.getByRole('heading', { name: 'POST /other?id=42' }).waitFor()
  })

  test('shows its diagnosis first: the code, the cause and the fix', async () => {
    const { detail, exchange } = await startWith(forged())
    const text = await detail.innerText()
    const [failure] = diagnose(exchange.verdict, { settings: 'flags' }).failures
    const order = [failure!.code, failure!.cause, failure!.fix, 'Signing string', 'Headers', 'Body', 'Checks']
    const places = order.map(part => text.indexOf(part))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test('shows the line that was changed on the way, as it was signed and as it was received', async () => {
    const { detail } = await startWith(changedOnTheWay('application/json; charset=utf-8'))
    expect(await detail.locator('.changed del').innerText()).toBe('content-type: application/json')
    expect(await detail.locator('.changed ins').innerText()).toBe('content-type: application/json; charset=utf-8')
    expect(await detail.locator('.signing mark').innerText()).toBe('content-type: application/json; charset=utf-8')
    expect((await detail.innerText()).match(/x-nonce: /g)).toHaveLength(1)
  })

  test('shows its headers and its body', async () => {
    const { record, rows, detail, open } = await startWith(sign())
    const headers = detail.locator('.headers > div')
    expect(await headers.first().innerText()).toMatch(/^Host\s+receiver\.example\s+signed$/)
    expect(await headers.last().innerText()).toMatch(/^Signature\s+keyId="key1[\s\S]*"$/)
    expect(await detail.locator('pre').innerText()).toBe('{"name":"Zoë"}')
    await record(sign({ body: Buffer.from([0xff, 0xfe, 0x41]) }))
    await eventually(() => rows.count()).toBe(2)
    await open()
    await eventually(() => detail.locator('pre').innerText()).toBe('ff fe 41')
  })
})

test('the filter hides verified requests, and survives a reload', async () => {
  const { record, page, rows } = await start()
  await record(sign())
  await record(forged())
  await rows.nth(1).waitFor()
  await page.getByLabel('signed, not verified').check()
  for (const _ of ['before', 'after a reload']) {
    await rows.nth(0).waitFor()
    expect(await rows.nth(1).isVisible()).toBe(false)
    await page.reload()
  }
})

test('scanners have a list of their own', async () => {
  const { record, page, rows, detail } = await start()
  await record(sign())
  for (let i = 0; i < 3; i++) await record(scan)
  await eventually(() => page.locator('#others').innerText()).toBe('(3)')
  expect(await rows.count()).toBe(1)
  await page.getByRole('radio', { name: /^not signed/ }).check()
  const others = page.locator('#other li')
  await others.nth(2).waitFor()
  expect(await others.first().innerText()).toMatch(/GET \/wp-login\.php\s+signature-missing\s/)
  expect(await rows.first().isVisible()).toBe(false)
  // The other missing settings follow from that one, and have no advice of their own.
  await others.first().click()
  await detail.getByText('this request is not signed').waitFor()
  expect((await detail.innerText()).match(/^Fix$/gm)).toHaveLength(1)
})

test('observing, it says so, and shows no forwarded request as refused', async () => {
  const { record, page, rows, detail, counts, open } = await start({ observe: true })
  await page.getByText('OBSERVING: nothing is refused').waitFor()
  await record(forged(), { status: 200, upstream: 'answered' })
  await open()
  await detail.getByText('forwarded, not verified').waitFor()
  expect(await detail.innerText()).not.toContain('refused')
  await page.keyboard.press('Escape')
  expect(await rows.first().innerText()).toMatch(/200\s+POST \/other\?id=42\s+not verified: signature-mismatch/)
  expect(await counts()).toContain('refused 0')
})

test('asking again, it says so, and which requests are asked for again', async () => {
  const { record, page, rows, counts } = await start({ refusalStatus: 503 })
  await page.getByText('ASKING FOR RETRIES: refused requests get 503').first().waitFor()
  await record(forged(), { status: 503 })
  await rows.first().waitFor()
  expect(await counts()).toContain('asking again 1')
})

test('without --account it says which accounts came, and the line to write', async () => {
  const seenAccounts = new Set<string>()
  const verifier = { ...service.options, accounts: ANY_ACCOUNT }
  const { record, page } = await start({ observe: true, verifier, seenAccounts })
  const facts = page.locator('#facts')
  await facts.getByText('no signed request has arrived yet').waitFor()
  seenAccounts.add('77').add("o'k")
  await record(sign())
  await facts.getByText("write --account 77 --account 'o'\\''k' if that is yours").waitFor()
  expect(await facts.innerText()).toContain('none while observing')
})

test('a request under another domain is in the list of signed ones, with that domain, and counted', async () => {
  const { record, rows, counts } = await start()
  await record(sign(), {}, { serviceDomain: 'other.example' })
  await rows.first().getByText('signed under service.example: ask the service').waitFor()
  expect(await counts()).toContain('signed under another domain 1')
})

test('the list is searched by path, code and account, and its title and emptiness fit what is shown', async () => {
  const { record, page, rows, detail } = await start()
  await record(sign({ target: '/first' }))
  await record(withHeaders(forged(), { 'X-Service-ID': 'account-4711' }))
  await rows.nth(1).waitFor()
  const search = page.getByRole('textbox', { name: 'Find by path, code, account or key' })
  for (const [text, count] of [
    ['FIRST', 1],
    ['account-mis', 1],
    ['1234', 1],
    ['4711', 1],
    ['4711', 1],
    ['/', 2],
    ['nothing like it', 0]
  ] as const) {
    await search.fill(text)
    expect([text, await rows.filter({ visible: true }).count()]).toEqual([text, count])
  }
  await page.getByText('No request here has').waitFor()
  await search.fill('account-4711')
  await rows.filter({ visible: true }).click({ position: { x: 5, y: 5 } })
  await detail.locator('.headers').waitFor()
  expect(await detail.locator('.summary').innerText()).toContain('claims account 4711')
  await search.fill('')
  await page.getByRole('radio', { name: /^not signed/ }).check()
  await page.getByRole('heading', { name: 'Requests that are not signed' }).waitFor()
  await page.getByText('Every request was signed.').waitFor()
})

test('a failure of the application is amber, with a note', async () => {
  const { record, rows } = await start()
  await record(sign(), { upstream: 'answered', status: 500 })
  await rows.first().getByText('the application answered 500').waitFor()
  expect(await rows.first().getAttribute('data-outcome')).toBe('unavailable')
})

test('without a request it shows the settings, and a line that sends one', async () => {
  const { page } = await start({ https: 'x-forwarded-proto' })
  const text = await page.locator('#setup').innerText()
  const shown = ['receiver.example', '1234', 'service.example', 'http://127.0.0.1:9000', 'memory', VERSION]
  for (const part of [...shown, 'only verified requests are forwarded', `${process.pid} on `, 'Each replica has'])
    expect(text).toContain(part)
  expect(await page.locator('#send').innerText()).toMatch(
    /^npx signed-requests send http:\/\/127\.0\.0\.1:8080\/hook --data='\{"id":1\}' --domain=service\.example --host=receiver\.example --account=1234 .*--header='X-Forwarded-Proto: https'$/
  )
  await page.getByText('No request has arrived here yet.').waitFor()
})

test.each([1280, 400])('headings are larger than their text, and times do not wrap, at %i pixels', async width => {
  const { page } = await startWith(forged(), {}, { viewport: { width, height: 800 } })
  const sizes = (await page.evaluate(
    "['h2', 'h3', 'p'].map(name => parseFloat(getComputedStyle(document.querySelector('#detail ' + name)).fontSize))"
  )) as number[]
  expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => b - a))
  await page.keyboard.press('Escape')
  // The list is shown again once the address has changed.
  await eventually(() => page.evaluate("document.querySelector('#signed time').getClientRects().length")).toBe(1)
  expect(await page.evaluate("getComputedStyle(document.querySelector('#signed time')).whiteSpace")).toBe('nowrap')
})

test('a request that is no longer kept says so', async () => {
  const { record, troubles, rows, detail } = await start()
  // The first of a code stays.
  for (const request of [forged(), forged()]) await record(request)
  await rows.nth(1).waitFor()
  const link = await rows.first().getByRole('link').getAttribute('href')
  for (let i = 0; i < 150; i++) await record(forged())
  await eventually(() => rows.count()).toBe(152)
  for (let i = 0; i < 150; i++) await record(forged())
  await eventually(() => rows.count()).toBe(200)
  await eventually(() => rows.locator(`a[href="${link}"]`).count()).toBe(0)
  await rows.first().evaluate((row, to) => {
    row.ownerDocument.location.hash = to
  }, link ?? '')
  await detail.getByRole('heading', { name: 'This request is no longer kept' }).waitFor()
  // The browser adds this note itself.
  expect(troubles.splice(0)).toEqual([expect.stringContaining('404')])
}, 30_000)

test('a code leads to its page where the address of the site is known, and is a name otherwise', async () => {
  const { page, detail } = await startWith(forged())
  expect(await detail.locator('h3 a').count()).toBe(0)
  const body = withCodePages(loadPage().get('/')!.bytes.toString(), 'https://site.example')
  await page.route('**/', route => route.fulfill({ contentType: 'text/html', body }))
  await page.reload()
  await detail.locator('h3 a').waitFor()
  expect(await detail.locator('h3 a').getAttribute('href')).toBe('https://site.example/codes/signature-mismatch.html')
})

describe('copying', () => {
  // view.test.ts runs them in a shell.
  test('the buttons copy the fixture and the command that the gateway made', async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const { admin, page, detail } = await startWith(forged(), {}, { permissions })
    const number = /\d+$/.exec(page.url())![0]
    const { fixture, command } = JSON.parse((await ask(admin.port, `/requests/${number}`)).body)
    for (const [button, said, text] of [
      ['Copy as fixture', 'Copied the fixture', fixture],
      ['Copy explain command', 'Copied the command', command]
    ]) {
      await detail.getByRole('button', { name: button }).click()
      await page.getByText(said).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text)
    }
    expect(command).toContain(fixture)
  })

  test('shows the text to copy by hand where the browser does not allow copying', async () => {
    const { page, detail } = await startWith(forged())
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    await detail.getByRole('button', { name: 'Copy explain command' }).click()
    expect(await detail.getByRole('textbox').inputValue()).toMatch(/^npx signed-requests explain <<'END'\n\{/)
  })

  test('offers no fixture when the body decides and was not kept, and says why', async () => {
    const { detail } = await startWith(sign(), { redact: true })
    await detail.getByText('There is no fixture').waitFor()
    expect(await detail.getByRole('button', { name: /Copy/ }).count()).toBe(0)
  })
})

describe('live', () => {
  test('reconnects after the gateway was restarted, without the earlier requests', async () => {
    const { admin, record, page, rows, counts, troubles } = await start()
    await record(forged())
    await rows.first().waitFor()
    await admin.close()
    await page.getByText(/Connection lost at \d\d:\d\d:\d\d: the list is out of date/).waitFor()
    const lost = page.locator('#connection')
    expect((await lost.boundingBox())?.width).toBeGreaterThan(1200)
    expect(await page.evaluate("getComputedStyle(document.querySelector('#connection')).position")).toBe('sticky')
    const second = await startTestAdmin({ address: { host: '127.0.0.1', port: admin.port } })
    second.record(await exchangeOf(sign({ target: '/after' })))
    await page.locator('#connection[data-state=live]').waitFor()
    await eventually(() => page.locator('#signed .target').allInnerTexts()).toEqual(['/after'])
    expect(await counts()).toContain('refused 0')
    second.record(await exchangeOf(forged(), {}, { recorder: second.recorder }))
    await eventually(() => rows.count()).toBe(2)
    await page.close()
    // The browser adds these notes itself.
    expect(troubles.splice(0).filter(text => !text.includes('net::ERR_'))).toEqual([])
  })

  test('keeps the focus while others arrive, and when its own line is removed', async () => {
    const { record, page, rows } = await start()
    const one = forged()
    // The first of a code stays.
    for (const request of [forged(), one]) await record(request)
    await rows.nth(1).waitFor()
    await rows.first().getByRole('link').focus()
    await record(sign({ target: '/next' }))
    await rows.nth(2).waitFor()
    expect(await focused(page)).toContain('POST /other?id=42')
    for (let i = 0; i < 150; i++) await record(one)
    await eventually(() => rows.count()).toBe(153)
    for (let i = 0; i < 150; i++) await record(one)
    // The verified request is listed, too.
    await eventually(() => rows.count()).toBe(201)
    expect(await focused(page)).toContain('POST /next')
  })

  test.each([1280, 400])(
    '200 lines scroll by themselves, and stay in place while others arrive, at %i pixels',
    async width => {
      const { record, page, rows, detail } = await start({}, { viewport: { width, height: 800 } })
      for (let i = 0; i < 200; i++) await record(sign({ target: `/${i}` }))
      await eventually(() => rows.count()).toBe(200)
      const height = () => page.evaluate<number>('document.documentElement.scrollHeight')
      expect(await height()).toBeLessThan(width === 400 ? 1600 : 900)
      const row = rows.filter({ hasText: '/100' })
      await row.evaluate(node => node.scrollIntoView())
      const place = async () => (await row.boundingBox())!.y
      const before = await place()
      for (let i = 0; i < 20; i++) await record(sign({ target: `/new-${i}` }))
      await eventually(() => rows.first().locator('.target').innerText()).toBe('/new-19')
      expect(Math.abs((await place()) - before)).toBeLessThan(2)
      await row.click({ position: { x: 5, y: 5 } })
      await detail.locator('.headers').waitFor()
      await page.keyboard.press('Escape')
      // The heading of the detail has the same words as the row.
      await detail.waitFor({ state: 'hidden' })
      await eventually(() => focused(page)).toContain('/100')
      expect(await row.isVisible()).toBe(true)
    }
  )

  test('holds 200 lines in a flood, newest first, and counts all', async () => {
    const { record, rows, counts } = await start()
    const one = forged()
    await record(one)
    for (let i = 0; i < 5000; i++) await record({ ...one, target: `/${i}` })
    await eventually(() => rows.first().locator('.target').innerText()).toBe('/4999')
    expect(await rows.count()).toBe(200)
    expect(await counts()).toContain('refused 5 001')
  })
})

describe.each([1280, 400, 360])('%i pixels wide', width => {
  test('30 hostile requests change only text', async () => {
    expect(HOSTILE).toHaveLength(30)
    const { record, page, detail } = await start({}, { viewport: { width, height: 740 } })
    const loaded = 'document.querySelectorAll("script, style, link, iframe, img, svg").length'
    const before = await page.evaluate(loaded)
    for (const [, request] of HOSTILE) await record(request)
    const links = page.locator('#requests ol a')
    await eventually(() => links.count()).toBe(30)
    await expectNoOverflow(page)
    await page.getByRole('radio', { name: /^not signed/ }).check()
    await expectNoOverflow(page)
    for (const hash of await links.evaluateAll(all => all.map(link => link.getAttribute('href') ?? ''))) {
      await page.evaluate(`location.hash = '${hash}'`)
      await detail.locator('.headers').waitFor()
      await expectNoOverflow(page)
      expect(
        await page.evaluate(`[...document.querySelectorAll('#requests *, #detail *')].flatMap(node =>
        [...node.attributes].filter(({ name, value }) => /^on|^style$|^src/.test(name) || /script:|[^ -~]/i.test(value)).map(({ name }) => name))`)
      ).toEqual([])
      const shown = await page.locator('.target, .headers dd, .headers dt').allInnerTexts()
      expect(shown.filter(text => /[^ -~\n]/.test(text))).toEqual([])
      await page.keyboard.press('Escape')
      await detail.waitFor({ state: 'hidden' })
    }
    expect(await page.evaluate(loaded)).toBe(before)
    expect(await page.evaluate('window.attacked')).toBeUndefined()
    expect(await page.title()).toBe('signed-requests gateway')
  }, 240_000)
})

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

describe.each(['light', 'dark'] as const)('in the %s scheme', colorScheme => {
  test.each([1280, 400])('has no fault of WCAG 2.2 AA that axe finds, at %i pixels', async width => {
    const { record, page, rows, detail } = await start({}, { colorScheme, viewport: { width, height: 800 } })
    const lookupTxt = () => Promise.reject(Object.assign(new Error('down'), { code: 'ESERVFAIL' }))
    await record(sign(), {}, { lookupTxt })
    for (const request of [sign(), changedOnTheWay('text/plain'), forged(), scan]) await record(request)
    await rows.nth(3).waitFor()
    await page.addInitScript({ path: axe })
    await page.reload()
    await rows.nth(3).waitFor()
    const faults = async () => {
      const { violations } = (await page.evaluate(
        "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })"
      )) as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])])
    }
    expect(await faults()).toEqual([])
    for (const i of [0, 1, 2, 3]) {
      await page.evaluate(`document.querySelectorAll('#signed a')[${i}].click()`)
      await detail.locator('.headers').waitFor()
      expect(await faults()).toEqual([])
      await page.keyboard.press('Escape')
      await detail.waitFor({ state: 'hidden' })
    }
  })
})

test.each([1280, 400])('a screen reader finds landmarks, headings and lists, at %i pixels', async width => {
  const { record, page, rows } = await start({}, { viewport: { width, height: 740 } })
  await record(forged())
  await rows.first().waitFor()
  let rest = await page.locator('body').ariaSnapshot()
  for (const part of [
    '- banner:',
    '- main:',
    '- region "Signed requests":',
    '- group "Show":',
    '- list "Signed requests, the last 200":',
    '401 POST /other?id=42 signature-mismatch'
  ]) {
    expect(rest).toContain(part)
    rest = rest.slice(rest.indexOf(part))
  }
})

test('shows where the focus is', async () => {
  const { page } = await startWith(forged())
  const stops: unknown[] = []
  while (stops.length < 20) {
    await page.keyboard.press('Tab')
    const [name, outline, shadow] = (await page.evaluate(`[document.activeElement.tagName,
      getComputedStyle(document.activeElement).outlineStyle, getComputedStyle(document.activeElement).boxShadow]`)) as string[]
    if (name === 'BODY') break
    expect([name, outline !== 'none' || shadow !== 'none']).toEqual([name, true])
    stops.push(name)
  }
  // the folded key record, and what copies
  expect(stops).toEqual(['SUMMARY', 'BUTTON', 'BUTTON'])
})

test('does not animate with prefers-reduced-motion', async () => {
  const { page } = await startWith(forged(), {}, { reducedMotion: 'reduce' })
  expect(
    await page.evaluate(`[...document.querySelectorAll('*')].filter(node =>
      getComputedStyle(node).transitionDuration !== '0s' || getComputedStyle(node).animationName !== 'none').length`)
  ).toBe(0)
})

test('--redact leaves bodies and headers that the signature does not cover blank', async () => {
  const secret = withHeaders(sign({ body: '{"secret":"xyzzy"}' }), { Authorization: 'Bearer xyzzy' })
  const { page, detail } = await startWith(secret, { redact: true })
  expect(await detail.locator('.headers > div').last().innerText()).toMatch(/^Authorization\s+blanked$/)
  await detail.getByText('Bodies are not shown (--redact).').waitFor()
  expect(await page.content()).not.toContain('xyzzy')
})

test('keeps nothing in the browser', async () => {
  const { page } = await startWith(forged())
  expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0)
})

test('with a token the browser asks for it, and the events come too', async () => {
  const token = 'a token: with äny characters'
  await startWith(forged(), { token }, { httpCredentials: { username: 'admin', password: token, send: 'always' } })
})

test('through the gateway itself: a forged request appears by itself, and never reaches the application', async () => {
  const { address, admin, seen } = await startWithAdmin()
  const { page, rows, detail, open } = await watch(admin!)
  const request = sign({ body: '{"id":1}' })
  await send(address, request)
  await send(address, { ...request, body: Buffer.from('{"id":2}') })
  await rows.nth(1).waitFor()
  expect(await page.locator('#signed .status').allInnerTexts()).toEqual(['401', '200'])
  await open()
  await detail.getByText('digest-mismatch').first().waitFor()
  expect(await detail.locator('pre').innerText()).toBe('{"id":2}')
  expect(await detail.getByRole('button', { name: 'Copy as fixture' }).isVisible()).toBe(true)
  expect(seen).toHaveLength(1)
})
