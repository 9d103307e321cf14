import { get, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { service } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { type AdminSettings, startAdmin } from '../../src/admin/admin.ts'
import { createRecent } from '../../src/admin/recent.ts'
import type { GatewaySettings } from '../../src/options/settings.ts'
import { startApplication, startTestGateway } from '../start.ts'

/** Changes the settings for one test. */
export const testAdminSettings = (changes: Partial<AdminSettings> = {}): AdminSettings => ({
  address: { host: '127.0.0.1', port: 0 },
  token: undefined,
  redact: false,
  verifier: service.options,
  upstream: new URL('http://127.0.0.1:9000'),
  replay: { kind: 'memory' },
  observe: false,
  refusalStatus: undefined,
  https: true,
  prefix: undefined,
  origin: () => 'http://127.0.0.1:8080',
  recent: createRecent(changes.redact ?? false, changes.verifier ?? service.options),
  seenAccounts: new Set(),
  clockOffsets: () => ({ store: undefined, signatures: undefined }),
  isReady: () => true,
  ...changes
})

/** Starts an admin address for one test. */
export async function startTestAdmin(changes: Partial<AdminSettings> = {}) {
  const settings = testAdminSettings(changes)
  const admin = await startAdmin(settings)
  onTestFinished(() => admin.close())
  const { port } = new URL(`http://${admin.address}`)
  return { ...admin, port: Number(port), recorder: settings.recent }
}

/** Starts a gateway with an admin address for one test; returns the requests of its application, too. */
export async function startWithAdmin({
  redact = false,
  ...settings
}: Partial<GatewaySettings> & { redact?: boolean } = {}) {
  const application = await startApplication()
  onTestFinished(application.close)
  const admin = { address: { host: '127.0.0.1', port: 0 }, token: undefined, redact }
  const gateway = await startTestGateway(application.url, { admin, ...settings })
  onTestFinished(async () => void (await gateway.close()))
  const port = Number(gateway.admin?.split(':')[1])
  /** Returns all details of this many requests, the oldest first. */
  const open = async (count: number) => {
    await gateway.over(count)
    const page = listen(port)
    await page.hasRows(count)
    const details = page.rows().map(({ number }) => ask(port, `/requests/${number}`))
    return (await Promise.all(details)).map(({ body }) => JSON.parse(body))
  }
  return { ...gateway, seen: application.seen, port, open }
}

/** Sends a request over a connection of its own. */
export const ask = (
  port: number,
  path = '/',
  options: RequestOptions = {}
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> =>
  new Promise((resolve, reject) => {
    request({ port, path, host: '127.0.0.1', agent: false, ...options }, async res => {
      const chunks: Buffer[] = []
      for await (const chunk of res) chunks.push(chunk)
      resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks).toString() })
    })
      .on('error', reject)
      .end()
  })

export interface Batch {
  counts: Record<string, number>
  rows: { number: number; list: string; target: string; outcome: string; note: string; status: number }[]
}

/** Listens to the events as a page does. */
export function listen(port: number, headers: Record<string, string> = {}) {
  const batches: Batch[] = []
  let isEnded = false
  const end = () => {
    isEnded = true
  }
  const asked = get({ port, host: '127.0.0.1', path: '/events', agent: false, headers }, res => {
    let text = ''
    res.on('error', end).on('close', end)
    res.setEncoding('utf8').on('data', part => {
      const messages = (text + part).split('\n\n')
      text = messages.pop()!
      for (const message of messages) {
        const [, data] = /^event: requests\ndata: (.*)$/m.exec(message) ?? []
        if (data !== undefined) batches.push(JSON.parse(data))
      }
    })
  }).on('error', end)
  const stop = () => void asked.destroy()
  onTestFinished(stop)
  const rows = () => batches.flatMap(batch => batch.rows)
  return {
    batches,
    rows,
    targets: () => rows().map(({ target }) => target),
    hasRows: (count: number) => until(() => rows().length >= count),
    hasBatches: (count: number) => until(() => batches.length >= count),
    ended: () => until(() => isEnded),
    stop
  }
}
