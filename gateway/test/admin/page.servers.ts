import { spawn } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { explain, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import { CHECK_NAMES } from '../../../src/verdict/verdict.ts'
import { buildCommandLine, type CommandLine } from '../../../test/support/cli.ts'
import type { AdminSettings } from '../../src/admin/admin.ts'
import { send, startApplication, startTestGateway } from '../start.ts'
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
  return { admin, record, page, troubles, rows: page.locator('#rows tr'), detail: page.locator('#detail') }
}

/** Waits for what the page is slow to say on purpose. */
const eventually = <T>(read: () => Promise<T>, message?: string) =>
  expect.poll(read, { timeout: 10_000, ...(message !== undefined && { message }) })

const focused = (page: Page) => page.evaluate('document.activeElement?.textContent.trim()')

describe('a refused request', () => {
  test('appears within a second', async () => {
    const { record, rows } = await start()
    await eventually(() => rows.count()).toBe(0)
    await record(forged())
    await rows.first().waitFor({ timeout: 1000 })
    expect(await rows.first().innerText()).toMatch(/401\s+POST \/other\?id=42\s+signature-mismatch/)
  })

  test('is announced politely, with its code', async () => {
    const { record, page } = await start()
    const announcer = page.getByRole('status')
    expect(await announcer.getAttribute('aria-live')).toBe('polite')
    await record(forged())
    await eventually(() => announcer.textContent()).toBe('1 request refused: signature-mismatch')
  })

  test('shows the twelve checks as marks, with a text for screen readers', async () => {
    const { record, rows } = await start()
    await record(forged())
    const marks = rows.first().getByRole('img')
    expect(await marks.getAttribute('aria-label')).toBe(
      '9 passed; failed: signature; not run: digest, replay'
    )
    expect(await marks.locator('.mark').evaluateAll(nodes => nodes.map(node => node.className))).toEqual([
      ...Array(9).fill('mark pass'),
      'mark fail',
      'mark not-run',
      'mark not-run'
    ])
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
    expect(await focused(page)).toBe('POST /other?id=42')
    expect(await rows.locator('[aria-current]').count()).toBe(0)
  })

  test('opens by keyboard alone: Tab, arrows, Enter, Escape', async () => {
    const { record, page, rows, detail } = await start()
    await record(forged())
    await record(sign({ target: '/second' }))
    await record(sign({ target: '/third' }))
    await rows.nth(2).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('POST /third')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('POST /other?id=42')
    await page.keyboard.press('Enter')
    await detail.getByRole('heading', { level: 2 }).waitFor()
    expect(await focused(page)).toBe('POST /other?id=42')
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'hidden' })
    expect(
      await rows
        .nth(2)
        .getByRole('link')
        .evaluate(link => link === link.ownerDocument.activeElement)
    ).toBe(true)
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

  test('is explained as signed-requests explain does', async () => {
    const { record, rows, detail } = await start()
    const { verdict } = await record(forged())
    await rows.first().click()
    const why = detail.getByRole('region', { name: 'Explanation' })
    const text = (await why.innerText()).replace(/\s+/g, ' ')
    for (const line of explain(verdict).match(/(?<=likely cause: |fix: )[\s\S]*?(?=\n {2}\w)/g) ?? []) {
      expect(text).toContain(line.replace(/\s+/g, ' '))
    }
    expect(text).toContain('signature-mismatch the signature does not verify with the key')
    const checks = detail.getByRole('region', { name: 'Checks' }).getByRole('listitem')
    expect(await checks.locator('.name').allInnerTexts()).toEqual(CHECK_NAMES)
    expect(await checks.locator('.result').allInnerTexts()).toEqual([
      ...Array(9).fill('passed'),
      'failed',
      'not run',
      'not run'
    ])
  })

  test('shows the signing string line by line, and marks what proxies change', async () => {
    const { record, rows, detail } = await start()
    await record(forged())
    await rows.first().click()
    const lines = detail.getByRole('region', { name: 'Signing string' }).getByRole('listitem')
    await lines.first().waitFor()
    const texts = await lines.locator('code').allInnerTexts()
    expect(texts.map(text => text.split(':')[0])).toEqual([
      '(request-target)',
      'host',
      'date',
      'content-length',
      'content-type',
      'x-service-id',
      'digest',
      'x-nonce'
    ])
    expect(texts[0]).toBe('(request-target): post /other?id=42')
    expect(await lines.locator('mark').allInnerTexts()).toEqual(
      texts.filter((_, i) => [0, 1, 3, 4].includes(i))
    )
    // Not by colour alone.
    expect(await lines.first().innerText()).toContain('often changed by proxies')
  })

  test('shows its headers and its body', async () => {
    const { record, rows, detail } = await start()
    await record(sign())
    await record(sign({ body: Buffer.from([0xff, 0xfe, 0x41]) }))
    await rows.nth(1).click()
    const headers = detail.getByRole('table', { name: 'Headers' }).getByRole('row')
    expect(await headers.nth(1).innerText()).toMatch(/^Host\s+receiver\.example\s+yes$/)
    expect(await headers.last().innerText()).toMatch(/^Signature\s+keyId="key1[\s\S]*no$/)
    expect(await detail.locator('pre').innerText()).toBe('{"name":"Zoë"}')
    await rows.nth(0).click()
    await eventually(() => detail.locator('pre').innerText()).toMatch(/^0000 {2}ff fe 41 +\.\.A$/)
  })
})

test('"refused only" hides verified requests', async () => {
  const { record, page, rows } = await start()
  await record(sign())
  await record(forged())
  await rows.nth(1).waitFor()
  await page.getByLabel('refused only').check()
  expect(await rows.nth(0).isVisible()).toBe(true)
  expect(await rows.nth(1).isVisible()).toBe(false)
})

test('a request that is no longer kept says so', async () => {
  const { admin, record, troubles, rows, detail } = await start()
  const old = await record(forged())
  await rows.first().waitFor()
  const link = await rows.first().getByRole('link').getAttribute('href')
  for (let i = 0; i < 200; i++) admin.record(old)
  await eventually(() => rows.count()).toBe(200)
  await rows.first().evaluate((row, to) => {
    row.ownerDocument.location.hash = to
  }, link ?? '')
  await detail.getByRole('heading', { name: 'This request is no longer kept' }).waitFor()
  // The browser's own note.
  expect(troubles.splice(0)).toEqual([expect.stringContaining('404')])
}, 30_000)

describe('copying', () => {
  let cli: CommandLine
  beforeAll(async () => {
    cli = await buildCommandLine()
    // `npx signed-requests` finds the bin of an installed package.
    await mkdir(join(cli.folder, 'bin'))
    const npx = join(cli.folder, 'bin/npx')
    await writeFile(
      npx,
      `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(cli.folder, 'cli.js')}' "$@"\n`
    )
    await chmod(npx, 0o755)
  })
  afterAll(() => cli.close())

  /** Runs what was pasted, where the fixture was saved. */
  const paste = (command: string): Promise<{ code: number | null; stdout: string }> =>
    new Promise((resolve, reject) => {
      const PATH = `${join(cli.folder, 'bin')}:${process.env['PATH']}`
      const shell = spawn('sh', ['-c', command], { cwd: cli.folder, env: { PATH } })
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
    await eventually(() => page.getByRole('status').textContent()).toBe('The fixture is copied')
    await writeFile(join(cli.folder, 'request-1.json'), await clipboard(page))
    await detail.getByRole('button', { name: 'Copy explain command' }).click()
    await eventually(() => page.getByRole('status').textContent()).toBe('The command is copied')
    const command = await clipboard(page)
    const { code, stdout } = await paste(command)
    expect(code).toBe(verdict.status === 'verified' ? 0 : 1)
    expect(stdout).toContain(line)
    const again = JSON.parse((await paste(`${command} --json`)).stdout)
    expect(again.failures.map((failure: { code: string }) => failure.code)).toEqual(
      verdict.failures.map(failure => failure.code)
    )
  })

  test('the saved file is the copied one', async () => {
    const { record, page, rows, detail } = await start({}, allowed)
    await record(forged())
    await rows.first().click()
    await detail.getByRole('button', { name: 'Copy as fixture' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      detail.getByRole('link', { name: 'Save request-1.json' }).click()
    ])
    expect(download.suggestedFilename()).toBe('request-1.json')
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe(await clipboard(page))
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
    expect(await area.inputValue()).toMatch(/^npx signed-requests explain request-1\.json --domain=/)
    expect(await page.evaluate('getSelection().toString()')).toMatch(/^npx signed-requests explain /)
  })

  test('offers no fixture when the body decides and was not kept, and says why', async () => {
    const { record, rows, detail } = await start({ redact: true })
    await record(sign())
    await rows.first().click()
    await detail.getByText('There is no fixture').waitFor()
    expect(await detail.getByRole('button', { name: 'Copy as fixture' }).isVisible()).toBe(false)
    expect(await detail.getByRole('button', { name: 'Copy explain command' }).isVisible()).toBe(true)
  })
})

describe('live', () => {
  test('reconnects after the gateway was restarted, without the earlier requests', async () => {
    const first = await startTestAdmin()
    const { page, close } = await openPage(browser, `http://${first.address}/`)
    onTestFinished(close)
    first.record(await exchangeOf(forged(), service.options))
    await page.locator('#rows tr').first().waitFor()
    await first.close()
    await page.locator('#connection[data-state=waiting]').waitFor()
    const second = await startTestAdmin({ address: { host: '127.0.0.1', port: first.port } })
    second.record(await exchangeOf(sign({ target: '/after' }), service.options))
    await page.locator('#connection[data-state=live]').waitFor({ timeout: 15_000 })
    await eventually(() => page.locator('#rows .target').allInnerTexts()).toEqual(['/after'])
    expect(await page.locator('#count-rejected').innerText()).toBe('0')
    second.record(await exchangeOf(forged(), service.options))
    await eventually(() => page.locator('#rows tr').count()).toBe(2)
  })

  test('keeps the focus while others arrive, and when its own line is removed', async () => {
    const { admin, record, page, rows } = await start()
    const one = await record(forged())
    await rows.first().getByRole('link').focus()
    await record(sign({ target: '/next' }))
    await rows.nth(1).waitFor()
    expect(await focused(page)).toBe('POST /other?id=42')
    for (let i = 0; i < 300; i++) admin.record(one)
    await eventually(() => rows.count()).toBe(200)
    expect(await focused(page)).toBe('POST /other?id=42')
  })

  test('holds 200 lines in a flood, newest first, and counts all', async () => {
    const { admin, record, page, rows } = await start()
    const one = await record(forged())
    for (let i = 0; i < 5000; i++) admin.record({ ...one, target: `/${i}` })
    await eventually(() => rows.first().locator('.target').innerText()).toBe('/4999')
    expect(await rows.count()).toBe(200)
    expect((await page.locator('#count-rejected').innerText()).replace(/\D/g, '')).toBe('5001')
  })
})

describe.each([1280, 360])('%i pixels wide', width => {
  test('30 hostile requests change only text', async () => {
    expect(HOSTILE).toHaveLength(30)
    const { record, page, rows, detail } = await start({}, { viewport: { width, height: 740 } })
    const before = await page.evaluate(
      'document.querySelectorAll("script, style, link, iframe, img, svg").length'
    )
    for (const [, request] of HOSTILE) await record(request)
    await rows.nth(29).waitFor()
    await expectNoOverflow(page)
    for (let i = 0; i < HOSTILE.length; i++) {
      const [name] = HOSTILE[HOSTILE.length - 1 - i]!
      await page.evaluate(`document.querySelectorAll('#rows a')[${i}].click()`)
      await eventually(() => detail.locator('.headers').count(), name).toBe(1)
      await eventually(() => page.evaluate('location.hash'), name).toMatch(
        new RegExp(`-${HOSTILE.length - i}$`)
      )
      await expectNoOverflow(page)
      expect(
        await page.evaluate(`[...document.querySelectorAll('#rows *, #detail *')].flatMap(node =>
        [...node.attributes].filter(({ name, value }) => /^on|^style$|^src/.test(name) || /script:|[^ -~×–]/i.test(value)).map(({ name }) => name))`)
      ).toEqual([])
      expect(
        await page
          .locator('.target')
          .evaluateAll(nodes => nodes.filter(node => /[^ -~]/.test(node.textContent ?? '')).length)
      ).toBe(0)
      await page.keyboard.press('Escape')
      await detail.waitFor({ state: 'hidden' })
    }
    expect(
      await page.evaluate('document.querySelectorAll("script, style, link, iframe, img, svg").length')
    ).toBe(before)
    expect(await page.evaluate('window.attacked')).toBeUndefined()
    expect(await page.title()).toBe('signed-requests gateway')
  })
})

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

describe.each(['light', 'dark'] as const)('in the %s scheme', colorScheme => {
  test.each([1280, 360])('has no fault of WCAG 2.2 AA that axe finds, at %i pixels', async width => {
    const { record, page, rows, detail } = await start({}, { colorScheme, viewport: { width, height: 800 } })
    await record(sign())
    await record(sign(), {
      lookupTxt: () => Promise.reject(Object.assign(new Error('down'), { code: 'ESERVFAIL' }))
    })
    await record({
      ...sign(),
      headers: [
        ['Host', 'other.example'],
        ['Cookie', 'a=b']
      ],
      body: null
    })
    await record(forged())
    await rows.nth(3).waitFor()
    await page.addInitScript({ path: axe })
    await page.reload()
    await rows.nth(3).waitFor()
    const faults = async () => {
      const { violations } = (await page.evaluate(
        "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })"
      )) as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }
      return violations.map(({ id, nodes }) => [
        id,
        nodes.map(({ html, failureSummary }) => [html, failureSummary])
      ])
    }
    expect(await faults()).toEqual([])
    for (const i of [0, 1, 2, 3]) {
      await page.evaluate(`document.querySelectorAll('#rows a')[${i}].click()`)
      await detail.locator('.headers').waitFor()
      expect(await faults()).toEqual([])
      await page.keyboard.press('Escape')
      await detail.waitFor({ state: 'hidden' })
    }
  })

  test('shows its marks with the contrast that WCAG 1.4.11 asks for graphics', async () => {
    const { record, page, rows } = await start({}, { colorScheme })
    await record(forged())
    await record(sign(), { lookupTxt: () => Promise.reject(new Error('down')) })
    await rows.nth(1).waitFor()
    const colours = (await page.locator('#rows .mark').evaluateAll(marks =>
      marks.map(mark => {
        const { backgroundColor, borderColor } = mark.ownerDocument.defaultView!.getComputedStyle(mark)
        return mark.className.includes('not-run') ? borderColor : backgroundColor
      })
    )) as string[]
    const panel = (await page.evaluate(
      "getComputedStyle(document.querySelector('#requests')).backgroundColor"
    )) as string
    expect(new Set(colours).size).toBe(4)
    for (const colour of new Set(colours)) expect(contrast(colour, panel)).toBeGreaterThanOrEqual(3)
  })
})

/** WCAG 2.2, relative luminance. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map(part => {
      const value = Number(part) / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

test('a screen reader finds landmarks and a table, on a phone too', async () => {
  for (const width of [1280, 360]) {
    const { record, page, rows } = await start({}, { viewport: { width, height: 740 } })
    await record(forged())
    await rows.first().waitFor()
    expect(await page.locator('body').ariaSnapshot()).toMatch(
      new RegExp(
        [
          '- banner:',
          '[\\s\\S]*- main:',
          '[\\s\\S]*- region "Last 200 requests":',
          '[\\s\\S]*- table "Last 200 requests":',
          '[\\s\\S]*- columnheader "Time"',
          '[\\s\\S]*- \'?row "[^"]*401 POST /other\\?id=42 signature-mismatch',
          '[\\s\\S]*- rowheader "POST /other\\?id=42 signature-mismatch":',
          '[\\s\\S]*- link "POST /other\\?id=42"',
          '[\\s\\S]*- \'?cell "9 passed; failed: signature; not run: digest, replay"'
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
    const [name, ...outlines] = (await page.evaluate(`[document.activeElement.tagName].concat(
      [document.activeElement, document.activeElement.closest('tr')].map(node => node && getComputedStyle(node).outlineStyle))`)) as string[]
    if (name === 'BODY') break
    expect([name, outlines]).toEqual([name, expect.arrayContaining(['solid'])])
    stops.push(name)
  }
  expect(stops).toEqual(['BUTTON', 'BUTTON', 'A', 'BUTTON', 'PRE'])
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
  const row = detail.getByRole('row', { name: 'Authorization' })
  expect(await row.innerText()).toMatch(/^Authorization\s+blanked\s+no$/)
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

test('through the gateway itself: a forged request appears within a second of its answer, and never reaches the application', async () => {
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
  await page.locator('#rows tr').nth(1).waitFor({ timeout: 1000 })
  expect(await page.locator('#rows .badge').allInnerTexts()).toEqual(['401', '200'])
  await page.locator('#rows tr').first().click()
  const detail = page.locator('#detail')
  await detail.getByText('Digest does not match the body').first().waitFor()
  expect(await detail.locator('pre').innerText()).toBe('{"id":2}')
  expect(await detail.getByRole('button', { name: 'Copy as fixture' }).isVisible()).toBe(true)
  expect(application.seen).toHaveLength(1)
  expect(troubles).toEqual([])
})
