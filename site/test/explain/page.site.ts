import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { headOf, KEY_NAME, RECORD } from '../../../test/support/explain.ts'
import { runInside } from '../../../test/support/run-cli.ts'
import { service } from '../../../test/support/service.ts'
import { SITE, useExplain } from './open-explain.ts'

const explain = useExplain()

const body = '{"id":1}'
const signed = service.sign({ target: '/hook', body })
const capture = headOf(signed) + body
const RECEIVER = { Domain: 'service.example', Host: 'receiver.example', Account: '1234' }
const FIELDS = { ...RECEIVER, 'Key record': RECORD }

/** Fills in the form as a person does who knows its labels, and waits for the answer. */
async function fillAndExplain(page: Page, text: string, fields: Readonly<Record<string, string>> = FIELDS) {
  if (text !== '') await page.getByLabel('Captured request').fill(text)
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
  await page.getByRole('button', { name: 'Explain' }).click()
  return answerOf(page)
}

async function answerOf(page: Page) {
  await page.locator('#explained:not([hidden]), #mistake:not(:empty)').first().waitFor()
  return {
    status: await page.getByRole('status').textContent(),
    mistake: await page.getByRole('alert').textContent(),
    text: await page.locator('#explanation').textContent()
  }
}

describe('the form', () => {
  test('gives a capture the status and the text of the command', async () => {
    const { page, troubles, close } = await explain.open()
    for (const [text, status] of [
      [capture, 'verified'],
      [capture.replace('{"id":1}', '{"id":2}'), 'rejected']
    ] as const) {
      const flags = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
      const { stdout } = await runInside(['explain', ...flags, '--key-record', RECORD], text)
      expect(await fillAndExplain(page, text)).toEqual({ status, mistake: '', text: stdout.trimEnd() })
    }
    expect(troubles).toEqual([])
    await close()
  })

  test('has fields for the time, RFC 9421, the header of the id and every other flag', async () => {
    const { page, close } = await explain.open()
    const old = service.sign({ body, date: 'Fri, 20 Nov 2026 12:00:00 GMT' })
    const text = headOf(old).replace('X-Service-ID', 'X-Brand-ID') + body
    await page.getByLabel('RFC 9421').check()
    const fields = { ...FIELDS, Time: '2026-11-20T12:01:00Z', 'ID header': 'X-Brand-ID', 'More flags': '--http' }
    const { status, text: found } = await fillAndExplain(page, text, fields)
    expect(status).toBe('rejected')
    expect(found).toMatch(/^rejected: https, coverage\n/)
    expect(found).toContain('ok    date ')
    expect(found).toContain('ok    account ')
    await close()
  })

  test.each([
    ['--dns-server 127.0.0.1', 'this page does not take --dns-server; see --help'],
    ['--body FILE', 'this page does not take --body; see --help'],
    ['--help', 'this page does not take --help'],
    ['--prefix', '--prefix needs a value'],
    ['--prefix "a', 'the text of More flags ends inside quotes: is the command cut off?'],
    ['--https never', '--https must be one of x-forwarded-proto, always, not-required'],
    ['word', 'unexpected argument; see --help']
  ])('says what is wrong with the flags %s', async (flags, mistake) => {
    const { page, troubles, close } = await explain.open()
    expect(await fillAndExplain(page, capture, { ...FIELDS, 'More flags': flags })).toMatchObject({
      mistake,
      status: ''
    })
    expect(troubles).toEqual([])
    await close()
  })

  test('asks for a capture, and for the settings that a capture does not bring', async () => {
    const { page, close } = await explain.open()
    expect((await fillAndExplain(page, '', {})).mistake).toBe('Paste a captured request first, or drop a file.')
    const { mistake } = await fillAndExplain(page, capture, { Host: 'receiver.example' })
    expect(mistake).toBe('Fill in Domain, Account: only a fixture brings its own.')
    expect(await page.evaluate('document.activeElement.id')).toBe('domain')
    expect(await page.locator('[aria-invalid]').count()).toBe(2)
    await close()
  })

  test('checks without a key all that needs none, and says that the key is not known', async () => {
    const { page, troubles, close } = await explain.open()
    const { status, text } = await fillAndExplain(page, capture, RECEIVER)
    expect(status).toBe('unavailable')
    expect(text).toMatch(/^unavailable: the key is not known; every check that needs no key passed\n/)
    expect(text).toContain('--    key               not run: no key record is given, and no resolver to ask')
    await page.getByLabel('Host').fill('other.example')
    await page.keyboard.press('Enter')
    await page.locator('#status[data-status=rejected]').waitFor()
    expect((await answerOf(page)).text).toMatch(/^rejected: host\n/)
    expect(troubles).toEqual([])
    await close()
  })

  test('says of a key record that is not one what the command says', async () => {
    const { page, close } = await explain.open()
    const { mistake } = await fillAndExplain(page, capture, { ...RECEIVER, 'Key record': 'v=spf1 -all' })
    expect(mistake).toContain('--key-record takes the text of a key record')
    await close()
  })
})

describe('a file', () => {
  const crlf = headOf(service.sign({ body: 'a\r\nb' }))

  test('is read by its octets, whatever a text field would do to them', async () => {
    const { page, troubles, close } = await explain.open()
    for (const buffer of [Buffer.from(`${crlf}a\r\nb`), Buffer.from(`\ufeff${crlf}a\r\nb`, 'utf16le')]) {
      await page.getByLabel('Choose a file').setInputFiles({ name: 'a.http', mimeType: 'text/plain', buffer })
      await page.getByText(`a.http, ${buffer.length.toLocaleString('en')} bytes`).waitFor()
      expect(await fillAndExplain(page, '')).toMatchObject({ status: 'verified', mistake: '' })
    }
    await page.getByRole('button', { name: 'Remove' }).click()
    expect(await page.getByLabel('Captured request').inputValue()).toBe('')
    expect(troubles).toEqual([])
    await close()
  })

  /** Fires an event of a drop or a paste, as a browser does. */
  const transfer = (page: Page, type: 'drop' | 'paste', content: { text?: string; file?: string }) =>
    page.evaluate(
      ([type, { text, file }]) => {
        const data = new DataTransfer()
        if (text !== undefined) data.setData('text/plain', text)
        if (file !== undefined) data.items.add(new File([file], '<b>.har'))
        const init = { bubbles: true, cancelable: true }
        const event =
          type === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: data })
            : new ClipboardEvent('paste', { ...init, clipboardData: data })
        return document.getElementById('capture')!.dispatchEvent(event)
      },
      [type, content] as const
    )

  test.each([
    ['drop', 'file'],
    ['drop', 'text'],
    ['paste', 'file'],
    ['paste', 'text']
  ] as const)('a %s of a %s keeps its octets', async (type, kind) => {
    const { page, troubles, close } = await explain.open()
    await transfer(page, type, { [kind]: `${crlf}a\r\nb` })
    await page.locator('#held').waitFor()
    expect(await fillAndExplain(page, '')).toMatchObject({ status: 'verified', mistake: '' })
    expect(troubles).toEqual([])
    await close()
  })

  test('a short paste without carriage returns stays a text that can be edited', async () => {
    const { page, close } = await explain.open()
    expect(await transfer(page, 'paste', { text: 'GET / HTTP/1.1' })).toBe(true)
    expect(await page.locator('#held').isVisible()).toBe(false)
    await close()
  })

  test('of more than 16 MB is refused, and the page goes on', async () => {
    const { page, close } = await explain.open()
    const buffer = Buffer.alloc(17 * 2 ** 20, 'a')
    await page.getByLabel('Choose a file').setInputFiles({ name: 'a.http', mimeType: 'text/plain', buffer })
    expect((await answerOf(page)).mistake).toBe(
      'a.http is larger than 16 MB: save the one request in a file of its own'
    )
    expect((await fillAndExplain(page, capture)).status).toBe('verified')
    await close()
  })
})

describe('the examples', () => {
  test.each([
    ['a good request', 'verified', ''],
    ['a body that was written again', 'rejected', 'digest-mismatch'],
    ['a path that a proxy changed', 'rejected', 'signature-mismatch'],
    ['another key', 'rejected', 'signature-mismatch'],
    ['an old request', 'rejected', 'date-too-old'],
    ['another host', 'rejected', 'host-mismatch'],
    ['a withdrawn key', 'rejected', 'key-revoked'],
    ['RFC 9421', 'verified', '']
  ])('%s is %s %s', async (title, status, code) => {
    const { page, troubles, close } = await explain.open()
    await page.getByRole('button', { name: title }).click()
    expect(await answerOf(page)).toMatchObject({ status, mistake: '' })
    expect(await page.locator('#causes h3 a').allTextContents()).toEqual(code === '' ? [] : [code])
    expect(troubles).toEqual([])
    await close()
  })

  test('shows the line that was changed, the cause and the fix', async () => {
    const { page, close } = await explain.open()
    await page.getByRole('button', { name: 'a path that a proxy changed' }).click()
    await answerOf(page)
    const [signed, received, cause, fix] = await page.locator('#causes dd').allTextContents()
    expect([signed, received]).toEqual(['(request-target): post /api/hook', '(request-target): post /hook'])
    expect(cause).toContain('a proxy or router stripped /api from the path')
    expect(fix).toBe('Restore it: --prefix /api.')
    await close()
  })
})

describe('the answer', () => {
  test('links each code to its page, and the page to the guides, on the site beside this one', async () => {
    const { page, context, troubles, close } = await explain.open()
    await page.getByRole('button', { name: 'another host' }).click()
    await answerOf(page)
    const hrefOf = (selector: string) => page.locator(selector).evaluate(({ href }: HTMLAnchorElement) => href)
    const links = async () => [await hrefOf('#causes h3 a'), await hrefOf('#guides')]
    expect(await links()).toEqual([`${SITE}codes/host-mismatch.html`, SITE])
    expect(troubles).toEqual([])
    const address = 'https://other.example/base/explain.html'
    await context.route(address, route => route.fulfill({ contentType: 'text/html', body: explain.html() }))
    await page.goto(address)
    await page.getByRole('button', { name: 'another host' }).click()
    await answerOf(page)
    expect(await links()).toEqual([
      'https://other.example/base/codes/host-mismatch.html',
      'https://other.example/base/'
    ])
    await close()
  })

  test('is copied as text and as JSON', async () => {
    const { page, troubles, close } = await explain.open()
    await page.evaluate(`navigator.clipboard.writeText = text => Promise.resolve(void (window.copied = text))`)
    const { text } = await fillAndExplain(page, capture)
    await page.getByRole('button', { name: 'Copy text' }).click()
    expect(await page.evaluate('window.copied')).toBe(text)
    await page.getByRole('button', { name: 'Copy JSON' }).click()
    const json = JSON.parse(await page.evaluate('window.copied'))
    expect(json).toMatchObject({ status: 'verified', accountId: '1234', diagnosis: { status: 'verified' } })
    await page.getByText('JSON', { exact: true }).click()
    expect(JSON.parse((await page.locator('#json pre').textContent())!)).toEqual(json)
    expect(troubles).toEqual([])
    await close()
  })

  test('is announced, and everything can be reached and done with the keyboard alone', async () => {
    const { page, troubles, close } = await explain.open()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('a good request')
    await page.keyboard.press('Enter')
    expect((await answerOf(page)).status).toBe('verified')
    const reached = new Set<string>()
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      reached.add(await page.evaluate('document.activeElement.id || document.activeElement.textContent.slice(0, 30)'))
    }
    const needed =
      'capture file domain host account key-record doh now account-header more rfc9421 explain copy-text copy-json'
    expect([...reached]).toEqual(expect.arrayContaining(needed.split(' ')))
    expect(troubles).toEqual([])
    await close()
  })
})

describe('the page', () => {
  test('is one file of at most 350 KB that loads nothing, with a strict policy', () => {
    const html = explain.html()
    expect(html.length).toBeLessThanOrEqual(350_000)
    const markup = html.replace(/(<script[^>]*>)[\s\S]*?<\/script>/g, '$1')
    expect(/ src=|<(?:img|iframe|object|embed)|url\(|@import/.exec(markup)?.[0]).toBeUndefined()
    expect(markup.match(/<link[^>]*>/g)).toEqual([expect.stringContaining('href="data:,"')])
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    expect(policy.replace(/sha256-[^']+/g, 'sha256')).toBe(
      "default-src 'none'; script-src 'sha256'; style-src 'sha256'; worker-src blob:; connect-src https:; " +
        "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types worker"
    )
    const [, packed = ''] = /id="worker">([^<]*)</.exec(html) ?? []
    const code = html + gunzipSync(Buffer.from(packed, 'base64'))
    expect(code).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|localStorage|sessionStorage/)
    expect(code).not.toMatch(/indexedDB|document\.cookie|sendBeacon|XMLHttpRequest|WebSocket|eval\(|new Function/)
    expect(html).toContain('A browser’s verdict is for finding out, not for letting in')
  })

  test.each(['light', 'dark'] as const)('has no fault that axe finds, and no overflow, in %s', async colorScheme => {
    const axe = readFileSync(fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8')
    for (const width of [360, 768, 1280, 1600]) {
      const { page, troubles, close } = await explain.open({
        viewport: { width, height: 800 },
        colorScheme,
        bypassCSP: true
      })
      for (const title of ['a path that a proxy changed', 'a good request']) {
        await page.getByRole('button', { name: title }).click()
        await answerOf(page)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
      await page.evaluate(axe)
      const found: { violations: { id: string }[] } = await page.evaluate('axe.run()')
      expect(found.violations.map(({ id }) => id)).toEqual([])
      expect(troubles).toEqual([])
      await close()
    }
  })
})

test('the name of the key in these tests is under the domain', () => expect(KEY_NAME).toContain('service.example'))
