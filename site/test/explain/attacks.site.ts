import { encode } from 'dns-packet'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { headOf, KEY_NAME, RECORD } from '../../../test/support/explain.ts'
import { service, withHeaders } from '../../../test/support/service.ts'
import { useExplain } from './open-explain.ts'

const explain = useExplain()

const MARKUP = '"\'><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>{{7*7}}\x1b[2J\u202e'
const RESOLVER = 'https://resolver.example/dns-query'

const body = '{"id":1}'
const signed = service.sign({ target: '/hook', body })

async function explainWith(page: Page, capture: string, fields: Readonly<Record<string, string>>) {
  await page.getByLabel('Captured request').fill(capture)
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#explained:not([hidden]), #mistake:not(:empty)').first().waitFor()
  return (await page.locator('#mistake').textContent()) || (await page.locator('#explanation').textContent())!
}

const RECEIVER = { Domain: 'service.example', Host: 'receiver.example', Account: '1234' }

/** Counts elements that an answer must not add. */
const countElements = (page: Page) => page.locator('img, svg, iframe, object, script').count()

describe('a hostile text', () => {
  test.each([
    ['the target', headOf({ ...signed, target: `/${MARKUP}` })],
    ['a name', headOf(withHeaders(signed, { [MARKUP]: 'a' }))],
    ['the host', headOf(withHeaders(signed, { Host: MARKUP }))],
    ['the account', headOf(withHeaders(signed, { 'X-Service-ID': MARKUP }))],
    ['the signature', headOf(withHeaders(signed, { Signature: `keyId="${MARKUP.replaceAll('"', '')}"` }))],
    ['a vector', JSON.stringify({ vectors: [MARKUP, 'b'].map(name => ({ name, request: { headers: [] } })) })],
    ['JSON', `{"${MARKUP}`],
    ['no format', MARKUP]
  ])('in %s is shown as text, and runs nothing', async (_, capture) => {
    const { page, troubles, close } = await explain.open()
    const before = await countElements(page)
    const text = await explainWith(page, capture, { ...RECEIVER, 'Key record': RECORD })
    expect(text).toMatch(/^[\n -~]+$/)
    expect(await countElements(page)).toBe(before)
    expect(troubles).toEqual([])
    await close()
  })

  test('in every field is shown as text, and runs nothing', async () => {
    const { page, troubles, close } = await explain.open()
    const before = await countElements(page)
    for (const label of ['Domain', 'Host', 'Account', 'Key record', 'Resolver', 'Time', 'ID header', 'More flags']) {
      const text = await explainWith(page, headOf(signed) + body, { ...RECEIVER, [label]: MARKUP })
      expect([label, text]).toEqual([label, expect.stringMatching(/^[\n -~]+$/)])
      await page.getByRole('button', { name: 'Clear' }).click()
    }
    expect(await countElements(page)).toBe(before)
    expect(troubles).toEqual([])
    await close()
  })

  test.each([
    ['arrays nested a million deep', '['.repeat(1_000_000)],
    ['10 MB of one line', 'a'.repeat(10_000_000)],
    ['10 MB of header lines', `POST / HTTP/1.1\n${'a: b\n'.repeat(2_000_000)}`],
    ['10 MB of quotes', `curl https://a.example ${`'a"\\`.repeat(2_500_000)}`],
    ['10 MB of JSON', `[${'{},'.repeat(3_300_000)}{}]`]
  ])('%s is answered, and the page goes on meanwhile', async (_, text) => {
    const { page, troubles, close } = await explain.open()
    await page.getByLabel('Domain').fill('service.example')
    await page.evaluate(text => {
      const data = new DataTransfer()
      data.setData('text/plain', text)
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      document.getElementById('capture')!.dispatchEvent(event)
    }, text)
    await page.locator('#held').waitFor()
    await page.getByRole('button', { name: 'Explain' }).click()
    // The page stays responsive while its worker runs.
    await page.getByLabel('Host').fill('receiver.example')
    await page.locator('#explained:not([hidden]), #mistake:not(:empty)').first().waitFor({ timeout: 60_000 })
    expect(await page.locator('#mistake').textContent()).toMatch(/^[ -~]+$/)
    expect(troubles).toEqual([])
    await close()
  })

  test('is ended after a minute, which is said, and the next one is answered', async () => {
    const { page, context, troubles, close } = await explain.open()
    await page.clock.install()
    // The page's program waits for its resolver, and would time out later.
    await context.route(`${RESOLVER}**`, () => {})
    await page.getByLabel('Captured request').fill(headOf(signed) + body)
    for (const [label, value] of Object.entries({ ...RECEIVER, Resolver: RESOLVER }))
      await page.getByLabel(label).fill(value)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Checking ...').waitFor()
    await page.clock.fastForward(61_000)
    expect(await page.locator('#mistake').textContent()).toContain('this took more than 60 seconds, and was ended')
    expect(await explainWith(page, headOf(signed) + body, { Resolver: '', 'Key record': RECORD })).toMatch(/^verified/)
    expect(troubles.filter(trouble => !trouble.startsWith(`request: ${RESOLVER}`))).toEqual([])
    await close()
  })
})

describe('a resolver', () => {
  /** Answers the queries of a page; returns the names that it asked for. */
  async function serveResolver(context: BrowserContext, reply: (route: Route) => Promise<void>) {
    const asked: { method: string; url: string; headers: Record<string, string> }[] = []
    await context.route(`${RESOLVER}**`, route => {
      const request = route.request()
      asked.push({ method: request.method(), url: request.url(), headers: request.headers() })
      return reply(route)
    })
    return asked
  }

  const message = (record: string, name = KEY_NAME, flags = 0x80): Buffer =>
    encode({
      type: 'response',
      id: 0,
      flags: flags | 0x0100,
      questions: [{ type: 'TXT', class: 'IN', name }],
      answers: [{ type: 'TXT', class: 'IN', name, ttl: 60, data: record.match(/.{1,200}/g)! }]
    })

  const HEADERS = { 'access-control-allow-origin': '*', 'content-type': 'application/dns-message' }
  const ask = (page: Page, more: Readonly<Record<string, string>> = {}) =>
    explainWith(page, headOf(signed) + body, { ...RECEIVER, Resolver: RESOLVER, ...more })

  test('is asked once, for the name of the key alone, without a preflight and without a trace of the page', async () => {
    const { page, context, troubles, close } = await explain.open()
    const asked = await serveResolver(context, route => route.fulfill({ headers: HEADERS, body: message(RECORD) }))
    expect(await ask(page)).toMatch(/^verified: /)
    expect(asked).toHaveLength(1)
    const [{ method, url, headers }] = asked as [(typeof asked)[0]]
    expect([method, headers['accept']]).toEqual(['GET', 'application/dns-message'])
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(?:referer|cookie)$/)]))
    const query = Buffer.from(new URL(url).searchParams.get('dns')!, 'base64url').toString('latin1')
    expect(query).toContain(KEY_NAME.split('.')[0])
    expect(troubles).toEqual([`request: ${url}`])
    await close()
  })

  test('is not asked where a key record is pasted, and nobody is where no resolver is chosen', async () => {
    const { page, context, troubles, close } = await explain.open()
    const asked = await serveResolver(context, route => route.abort())
    expect(await ask(page, { 'Key record': RECORD })).toMatch(/^verified: /)
    expect(await ask(page, { 'Key record': '', Resolver: '' })).toMatch(/^unavailable: the key is not known/)
    expect(asked).toEqual([])
    expect(troubles).toEqual([])
    await close()
  })

  test.each([
    ['http://resolver.example/dns-query', 'is not an https URL'],
    ['javascript:alert(1)', 'is not an https URL'],
    ['https://user:password@resolver.example/', 'is a URL with a user name or password'],
    ['resolver.example', 'is not an absolute URL']
  ])('is not asked at %s', async (address, mistake) => {
    const { page, troubles, close } = await explain.open()
    expect(await ask(page, { Resolver: address })).toContain(mistake)
    expect(troubles).toEqual([])
    await close()
  })

  test.each<[string, RegExp, (route: Route) => Promise<void>]>([
    [
      'HTML',
      /key-lookup-failed/,
      route => route.fulfill({ headers: { ...HEADERS, 'content-type': 'text/html' }, body: MARKUP })
    ],
    [
      'a message that is not one',
      /key-lookup-failed/,
      route => route.fulfill({ headers: HEADERS, body: Buffer.alloc(400, 0xc0) })
    ],
    ['10 MB', /key-lookup-failed/, route => route.fulfill({ headers: HEADERS, body: Buffer.alloc(10_000_000) })],
    ['an error', /key-lookup-failed/, route => route.fulfill({ status: 500, headers: HEADERS, body: message(RECORD) })],
    [
      'a redirect',
      /key-lookup-failed/,
      route => route.fulfill({ status: 302, headers: { ...HEADERS, location: 'https://evil.example/' } })
    ],
    [
      'records of another name',
      /key-lookup-failed/,
      route => route.fulfill({ headers: HEADERS, body: message(RECORD, 'evil.example') })
    ],
    [
      'a record with markup',
      /key-/,
      route => route.fulfill({ headers: HEADERS, body: message(`v=DKIM1; k=rsa; p=${MARKUP.slice(0, -1)}`) })
    ],
    [
      'a failure of DNS',
      /key-lookup-failed/,
      route => route.fulfill({ headers: HEADERS, body: message(RECORD, KEY_NAME, 0x82) })
    ]
  ])('that answers with %s gets nothing run and nothing verified', async (_, code, reply) => {
    const { page, context, troubles, close } = await explain.open()
    await serveResolver(context, reply)
    const text = await ask(page)
    expect(text).toMatch(/^(?:rejected|unavailable): key\n/)
    expect(text).toMatch(code)
    expect(text).toMatch(/^[\n -~]+$/)
    expect(
      troubles.filter(trouble => !/^request: https:\/\/resolver|^error: Failed to load resource/.test(trouble))
    ).toEqual([])
    await close()
  })
})
