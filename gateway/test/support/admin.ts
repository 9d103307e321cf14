import { get, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { createTestService } from 'signed-requests/testing'
import { onTestFinished } from 'vitest'
import { type AdminSettings, startAdmin } from '../../src/admin/admin.ts'

export const service = createTestService({ rsaBits: 1024 })

/** Settings for one test. */
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
  origin: 'http://127.0.0.1:8080',
  dns: new Map(Object.entries(service.records)),
  seenAccounts: new Set(),
  isReady: () => true,
  ...changes
})

/** An admin address of its own for one test. */
export async function startTestAdmin(changes: Partial<AdminSettings> = {}) {
  const admin = await startAdmin(testAdminSettings(changes))
  onTestFinished(() => admin.close())
  const { port } = new URL(`http://${admin.address}`)
  return { ...admin, port: Number(port) }
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Asks over a connection of its own. */
export const ask = (port: number, path = '/', options: RequestOptions = {}): Promise<Answer> =>
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
  const rows: Batch['rows'] = []
  const waiting: (() => void)[] = []
  let isEnded = false
  const wake = () => {
    for (const resume of waiting.splice(0)) resume()
  }
  const asked = get({ port, host: '127.0.0.1', path: '/events', agent: false, headers }, res => {
    let text = ''
    res.setEncoding('utf8').on('data', part => {
      text += part
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const [, data] = /^event: requests\ndata: (.*)$/m.exec(message) ?? []
        if (data === undefined) continue
        const batch: Batch = JSON.parse(data)
        batches.push(batch)
        rows.push(...batch.rows)
      }
      wake()
    })
    res.on('error', () => {})
    res.on('close', () => {
      isEnded = true
      wake()
    })
  })
  asked.on('error', () => {
    isEnded = true
    wake()
  })
  onTestFinished(() => {
    asked.destroy()
  })
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise<void>(resume => waiting.push(resume))
  }
  return {
    batches,
    rows: () => rows,
    hasRows: (count: number) => until(() => rows.length >= count),
    hasBatches: (count: number) => until(() => batches.length >= count),
    ended: () => until(() => isEnded),
    stop: () => asked.destroy()
  }
}
