import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { diagnose, type ReceivedRequest, type VerifierOptions } from 'signed-requests'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CLI } from '../../../test/support/cli.ts'
import { send } from '../../../test/support/wire.ts'
import type { AdminSettings } from '../../src/admin/admin.ts'
import { VERSION } from '../../src/page-files.ts'
import { ANY_ACCOUNT } from '../../src/seen-accounts.ts'
import { startApplication, startTestGateway } from '../start.ts'
import { service, startTestAdmin } from '../support/admin.ts'
import { expectNoOverflow, launchBrowser, openPage } from '../support/browser.ts'
import { exchangeOf, withHeader } from '../support/exchanges.ts'
import { HOSTILE } from '../support/hostile.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ method: 'POST', target: '/hook?id=42', body: '{"name":"Zoë"}', ...more })
const forged = () => ({ ...sign(), target: '/other?id=42' })
const scan = { method: 'GET', target: '/wp-login.php', headers: [], body: null, https: true }

/** An admin address and a page on it. Nothing may go wrong in the page of any test. */
async function start(settings: Partial<AdminSettings> = {}, options: BrowserContextOptions = {}) {
  const admin = await startTestAdmin(settings)
  const record = async (request: ReceivedRequest, given: Partial<VerifierOptions> = {}) => {
    const exchange = await exchangeOf(request, { ...service.options, ...given })
    admin.record(exchange)
    return exchange
  }
  const watched = await openPage(browser, `http://${admin.address}/`, options)
  const { page, troubles } = watched
  onTestFinished(async () => {
    await watched.close()
    expect(troubles).toEqual([])
  })
  return { admin, record, page, troubles, rows: page.locator('#signed li'), detail: page.locator('#detail') }
}

/** Waits for what the page is slow to say on purpose. */
const eventually = <T>(read: () => Promise<T>, message?: string) =>
  expect.poll(read, { timeout: 10_000, ...(message !== undefined && { message }) })

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
    const { record, page, rows, detail } = await start()
    await record(sign())
    await record(forged())
    await rows.first().click({ position: { x: 5, y: 5 } })
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
    await record(forged())
    await record(sign({ target: '/second' }))
    await record(sign({ target: '/third' }))
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
    const { record, page, rows, detail } = await start()
    await record(forged())
    await rows.first().click()
    await detail.getByRole('heading', { level: 2 }).waitFor()
    const url = page.url()
    await page.goBack()
    await detail.waitFor({ state: 'hidden' })
    await page.goto('about:blank')
    await page.goto(url)
    await detail.getByRole('heading', { name: 'POST /other?id=42' }).waitFor()
  })

  test('shows its diagnosis first: the code, the cause and the fix', async () => {
    const { record, rows, detail } = await start()
    const { verdict } = await record(forged())
    await rows.first().click()
    await detail.locator('.failure').waitFor()
    const text = await detail.innerText()
    const [failure] = diagnose(verdict, { settings: 'flags' }).failures
    const order = [failure!.code, failure!.cause, failure!.fix, 'Signing string', 'Headers', 'Body', 'Checks']
    const places = order.map(part => text.indexOf(part))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test('shows the line that was changed on the way, as it was signed and as it was received', async () => {
    const { record, rows, detail } = await start()
    await record(withHeader(sign(), 'Content-Type', 'application/json; charset=utf-8'))
    await rows.first().click()
    await detail.locator('.changed').waitFor()
    expect(await detail.locator('.changed del').innerText()).toBe('content-type: application/json')
    expect(await detail.locator('.changed ins').innerText()).toBe('content-type: application/json; charset=utf-8')
    expect(await detail.locator('.signing mark').innerText()).toBe('content-type: application/json; charset=utf-8')
    expect((await detail.innerText()).match(/x-nonce: /g)).toHaveLength(1)
  })

  test('shows its headers and its body', async () => {
    const { record, rows, detail } = await start()
    await record(sign())
    await record(sign({ body: Buffer.from([0xff, 0xfe, 0x41]) }))
    await rows.nth(1).click()
    const headers = detail.locator('.headers > div')
    expect(await headers.first().innerText()).toMatch(/^Host\s+receiver\.example\s+signed$/)
    expect(await headers.last().innerText()).toMatch(/^Signature\s+keyId="key1[\s\S]*"$/)
    expect(await detail.locator('pre').innerText()).toBe('{"name":"Zoë"}')
    await rows.nth(0).click()
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
  // What else it lacks follows from that, and has no advice of its own.
  await others.first().click()
  await detail.getByText('this request is not signed').waitFor()
  expect((await detail.innerText()).match(/^Fix$/gm)).toHaveLength(1)
})

test('observing, it says so, and shows no forwarded request as refused', async () => {
  const { admin, page, rows, detail } = await start({ observe: true })
  await page.getByText('OBSERVING: nothing is refused').waitFor()
  admin.record(await exchangeOf(forged(), service.options, { status: 200, upstream: 'answered' }))
  await rows.first().waitFor()
  expect(await rows.first().innerText()).toMatch(/200\s+POST \/other\?id=42\s+not verified: signature-mismatch/)
  await rows.first().click()
  await detail.getByText('forwarded, not verified').waitFor()
  expect(await detail.innerText()).not.toContain('refused')
  expect((await page.locator('#counts').innerText()).replace(/\s+/g, ' ')).toContain('refused 0')
})

test('asking again, it says so, and which requests are asked for again', async () => {
  const { admin, page, rows } = await start({ refusalStatus: 503 })
  await page.getByText('ASKING AGAIN: what is refused gets 503').first().waitFor()
  admin.record(await exchangeOf(forged(), service.options, { status: 503 }))
  await rows.first().waitFor()
  expect((await page.locator('#counts').innerText()).replace(/\s+/g, ' ')).toContain('asking again 1')
})

test('without --account it says which accounts came, and the line to write', async () => {
  const seenAccounts = new Set<string>()
  const verifier = { ...service.options, accounts: ANY_ACCOUNT }
  const { record, page } = await start({ observe: true, verifier, seenAccounts })
  const facts = page.locator('#facts')
  await facts.getByText('no signed request has come yet').waitFor()
  seenAccounts.add('77').add("o'k")
  await record(sign())
  await facts.getByText("write --account 77 --account 'o'\\''k' if that is yours").waitFor()
  expect(await facts.innerText()).toContain('none while observing')
})

test('a request under another domain is in the list of signed ones, with that domain, and counted', async () => {
  const { admin, page, rows } = await start()
  const elsewhere = { ...service.options, serviceDomain: 'other.example' }
  admin.record(await exchangeOf(sign(), elsewhere))
  await rows.first().waitFor()
  expect(await rows.first().innerText()).toContain('signed under service.example: ask the service')
  const counts = (await page.locator('#counts').innerText()).replace(/\s+/g, ' ')
  expect(counts).toContain('signed under another domain 1')
})

test('the list is searched by path, code and account, and its title and emptiness fit what is shown', async () => {
  const { record, page, rows } = await start()
  await record(sign({ target: '/first' }))
  await record(forged())
  await rows.nth(1).waitFor()
  const search = page.getByRole('textbox', { name: 'Find by path, code or account' })
  for (const [text, count] of [
    ['FIRST', 1],
    ['signature-mis', 1],
    ['1234', 1],
    ['/', 2],
    ['nothing like it', 0]
  ] as const) {
    await search.fill(text)
    expect([text, await rows.filter({ visible: true }).count()]).toEqual([text, count])
  }
  await page.getByText('None of these').waitFor()
  await search.fill('')
  await page.getByRole('radio', { name: /^not signed/ }).check()
  await page.getByRole('heading', { name: 'Requests that are not signed' }).waitFor()
  await page.getByText('Every request was signed.').waitFor()
})

test('a failure of the application is amber, with a note', async () => {
  const { admin, rows } = await start()
  admin.record(await exchangeOf(sign(), service.options, { upstream: 'answered', status: 500 }))
  await rows.first().getByText('the application answered 500').waitFor()
  expect(await rows.first().getAttribute('data-outcome')).toBe('unavailable')
})

test('without a request it shows the settings, and a line that sends one', async () => {
  const { page } = await start({ https: 'x-forwarded-proto' })
  const text = await page.locator('#setup').innerText()
  const shown = ['receiver.example', '1234', 'service.example', 'http://127.0.0.1:9000', 'memory', VERSION]
  for (const part of [...shown, 'only verified requests are forwarded']) expect(text).toContain(part)
  expect(await page.locator('#send').innerText()).toMatch(
    /^npx signed-requests send http:\/\/127\.0\.0\.1:8080\/hook --data='\{"id":1\}' --domain=service\.example --host=receiver\.example --account=1234 .*--header='X-Forwarded-Proto: https'$/
  )
  await page.getByText('No request has arrived here yet.').waitFor()
})

test('headings are larger than their text, and times do not wrap', async () => {
  for (const width of [1280, 400]) {
    const { record, page, rows, detail } = await start({}, { viewport: { width, height: 800 } })
    await record(forged())
    await rows.first().click()
    await detail.locator('.headers').waitFor()
    const sizes = (await page.evaluate(
      "['h2', 'h3', 'p'].map(name => parseFloat(getComputedStyle(document.querySelector('#detail ' + name)).fontSize))"
    )) as [number, number, number]
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
    expect(new Set(sizes).size).toBe(3)
    await page.keyboard.press('Escape')
    // The list is shown again once the address has changed.
    await eventually(() => page.evaluate("document.querySelector('#signed time').getClientRects().length")).toBe(1)
    expect(await page.evaluate("getComputedStyle(document.querySelector('#signed time')).whiteSpace")).toBe('nowrap')
  }
})

test('a request that is no longer kept says so', async () => {
  const { admin, record, troubles, rows, detail } = await start()
  const old = await record(forged())
  await rows.first().waitFor()
  const link = await rows.first().getByRole('link').getAttribute('href')
  for (let i = 0; i < 200; i++) admin.record(old)
  await eventually(() => rows.count()).toBe(200)
  await eventually(() => rows.locator(`a[href="${link}"]`).count()).toBe(0)
  await rows.first().evaluate((row, to) => {
    row.ownerDocument.location.hash = to
  }, link ?? '')
  await detail.getByRole('heading', { name: 'This request is no longer kept' }).waitFor()
  // The browser's own note.
  expect(troubles.splice(0)).toEqual([expect.stringContaining('404')])
}, 30_000)

describe('copying', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'page-'))
    // `npx signed-requests` finds the bin of an installed package.
    await mkdir(join(folder, 'bin'))
    const npx = join(folder, 'bin/npx')
    await writeFile(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${CLI}' "$@"\n`)
    await chmod(npx, 0o755)
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Runs what was pasted, where the fixture was saved. */
  const paste = (command: string): Promise<{ code: number | null; stdout: string }> =>
    new Promise((resolve, reject) => {
      const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`
      const shell = spawn('sh', ['-c', command], { cwd: folder, env: { PATH } })
      let stdout = ''
      shell.stdout.on('data', text => {
        stdout += text
      })
      shell.on('error', reject)
      shell.on('close', code => resolve({ code, stdout }))
    })

  const allowed: BrowserContextOptions = { permissions: ['clipboard-read', 'clipboard-write'] }
  const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>

  test.each([
    ['a changed target', forged(), 'FAIL  signature '],
    ['a changed body', { ...sign(), body: Buffer.from('{"name":"Zoe"}') }, 'FAIL  digest '],
    ['a wrong host', withHeader(sign(), 'Host', 'other.example'), 'FAIL  host '],
    ['nothing wrong', sign(), 'verified: account 1234']
  ])('the command explains the fixture as the page does: %s', async (_, request, line) => {
    const { record, page, rows, detail } = await start({}, allowed)
    const { verdict } = await record(request)
    await rows.first().click()
    await detail.getByRole('button', { name: 'Copy as fixture' }).click()
    await page.getByText('The fixture is copied').waitFor()
    expect(JSON.parse(await clipboard(page)).vectors).toHaveLength(1)
    await detail.getByRole('button', { name: 'Copy explain command' }).click()
    await page.getByText('The command is copied').waitFor()
    const command = await clipboard(page)
    const { code, stdout } = await paste(command)
    expect(code).toBe(verdict.status === 'verified' ? 0 : 1)
    expect(stdout).toContain(line)
    const again = JSON.parse((await paste(command.replace('explain', 'explain --json'))).stdout)
    expect(again.failures.map((failure: { code: string }) => failure.code)).toEqual(
      verdict.failures.map(failure => failure.code)
    )
  })

  test('shows the text to copy by hand where the browser does not allow copying', async () => {
    const { record, page, rows, detail } = await start()
    await record(forged())
    await rows.first().click()
    await detail.getByRole('heading', { level: 2 }).waitFor()
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    await detail.getByRole('button', { name: 'Copy explain command' }).click()
    const area = detail.getByRole('textbox')
    await area.waitFor()
    expect(await area.inputValue()).toMatch(/^npx signed-requests explain <<'END'\n\{/)
  })

  test('offers no fixture when the body decides and was not kept, and says why', async () => {
    const { record, rows, detail } = await start({ redact: true })
    await record(sign())
    await rows.first().click()
    await detail.getByText('There is no fixture').waitFor()
    expect(await detail.getByRole('button', { name: /Copy/ }).count()).toBe(0)
  })
})

describe('live', () => {
  test('reconnects after the gateway was restarted, without the earlier requests', async () => {
    const first = await startTestAdmin()
    const { page, close } = await openPage(browser, `http://${first.address}/`)
    onTestFinished(close)
    first.record(await exchangeOf(forged(), service.options))
    await page.locator('#signed li').first().waitFor()
    await first.close()
    await page.getByText(/Connection lost at \d\d:\d\d:\d\d: what is shown is old/).waitFor()
    const lost = page.locator('#connection')
    expect((await lost.boundingBox())?.width).toBeGreaterThan(1200)
    expect(await lost.evaluate(node => node.ownerDocument.defaultView?.getComputedStyle(node).position)).toBe('sticky')
    const second = await startTestAdmin({ address: { host: '127.0.0.1', port: first.port } })
    second.record(await exchangeOf(sign({ target: '/after' }), service.options))
    await page.locator('#connection[data-state=live]').waitFor({ timeout: 15_000 })
    await eventually(() => page.locator('#signed .target').allInnerTexts()).toEqual(['/after'])
    expect((await page.locator('#counts').innerText()).replace(/\s+/g, ' ')).toContain('refused 0')
    second.record(await exchangeOf(forged(), service.options))
    await eventually(() => page.locator('#signed li').count()).toBe(2)
  })

  test('keeps the focus while others arrive, and when its own line is removed', async () => {
    const { admin, record, page, rows } = await start()
    const one = await record(forged())
    await rows.first().getByRole('link').focus()
    await record(sign({ target: '/next' }))
    await rows.nth(1).waitFor()
    expect(await focused(page)).toContain('POST /other?id=42')
    for (let i = 0; i < 300; i++) admin.record(one)
    await eventually(() => rows.count()).toBe(200)
    expect(await focused(page)).toContain('POST /other?id=42')
  })

  test('holds 200 lines in a flood, newest first, and counts all', async () => {
    const { admin, record, page, rows } = await start()
    const one = await record(forged())
    for (let i = 0; i < 5000; i++) admin.record({ ...one, target: `/${i}` })
    await eventually(() => rows.first().locator('.target').innerText()).toBe('/4999')
    expect(await rows.count()).toBe(200)
    expect((await page.locator('#counts').innerText()).replace(/[\s,]+/g, ' ')).toContain('refused 5 001')
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
    await record(sign())
    await record(sign(), { lookupTxt: () => Promise.reject(Object.assign(new Error('down'), { code: 'ESERVFAIL' })) })
    await record(withHeader(sign(), 'Content-Type', 'text/plain'))
    await record(forged())
    await record(scan)
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

test('a screen reader finds landmarks, headings and lists', async () => {
  for (const width of [1280, 400]) {
    const { record, page, rows } = await start({}, { viewport: { width, height: 740 } })
    await record(forged())
    await rows.first().waitFor()
    expect(await page.locator('body').ariaSnapshot()).toMatch(
      new RegExp(
        [
          '- banner:',
          '[\\s\\S]*- main:',
          '[\\s\\S]*- region "Signed requests":',
          '[\\s\\S]*- group "Show":',
          '[\\s\\S]*- list "Signed requests, the last 200":',
          '[\\s\\S]*- \'?link "[^"]*401 POST /other\\?id=42 signature-mismatch'
        ].join('')
      )
    )
  }
})

test('shows where the focus is', async () => {
  const { record, page, rows, detail } = await start()
  await record(forged())
  await rows.first().click()
  await detail.locator('.headers').waitFor()
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
  const { record, page, rows, detail } = await start({}, { reducedMotion: 'reduce' })
  await record(forged())
  await rows.first().click()
  await detail.locator('.headers').waitFor()
  expect(
    await page.evaluate(`[...document.querySelectorAll('*')].filter(node =>
      getComputedStyle(node).transitionDuration !== '0s' || getComputedStyle(node).animationName !== 'none').length`)
  ).toBe(0)
})

test('--redact leaves bodies and headers that the signature does not cover blank', async () => {
  const { record, page, rows, detail } = await start({ redact: true })
  const request = sign({ body: '{"secret":"xyzzy"}' })
  await record({ ...request, headers: [...request.headers, ['Authorization', 'Bearer xyzzy']] })
  await rows.first().click()
  expect(await detail.locator('.headers > div').last().innerText()).toMatch(/^Authorization\s+blanked$/)
  await detail.getByText('Bodies are not shown (--redact).').waitFor()
  expect(await page.content()).not.toContain('xyzzy')
})

test('keeps nothing in the browser', async () => {
  const { record, page, rows } = await start()
  await record(forged())
  await rows.first().click()
  expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0)
})

test('with a token the browser asks for it, and the events come too', async () => {
  const token = 'a token: with äny characters'
  const { record, rows } = await start(
    { token },
    { httpCredentials: { username: 'admin', password: token, send: 'always' } }
  )
  await record(forged())
  await rows.first().waitFor()
})

test('through the gateway itself: a forged request appears by itself, and never reaches the application', async () => {
  const application = await startApplication()
  const admin = { address: { host: '127.0.0.1', port: 0 }, token: undefined, redact: false }
  const gateway = await startTestGateway(application.url, { admin })
  onTestFinished(async () => {
    await gateway.close()
    await application.close()
  })
  const { page, troubles, close } = await openPage(browser, `http://${gateway.admin}/`)
  onTestFinished(close)
  const request = gateway.service.sign({ method: 'POST', target: '/hook?id=42', body: '{"id":1}' })
  await send(gateway.address, request)
  await send(gateway.address, { ...request, body: Buffer.from('{"id":2}') })
  await page.locator('#signed li').nth(1).waitFor({ timeout: 10_000 })
  expect(await page.locator('#signed .status').allInnerTexts()).toEqual(['401', '200'])
  await page.locator('#signed li').first().click()
  const detail = page.locator('#detail')
  await detail.getByText('digest-mismatch').first().waitFor()
  expect(await detail.locator('pre').innerText()).toBe('{"id":2}')
  expect(await detail.getByRole('button', { name: 'Copy as fixture' }).isVisible()).toBe(true)
  expect(application.seen).toHaveLength(1)
  expect(troubles).toEqual([])
})
