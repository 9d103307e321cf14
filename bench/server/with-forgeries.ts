import type { ReceivedRequest } from '../../src/index.ts'
import { createCounter, type Setting } from './setting.ts'

const SECONDS = 6

/** Sends thirty forgeries in a hundred requests; returns the broken promises. */
export async function withForgeries(setting: Setting): Promise<string[]> {
  const forgeries = new Set<ReceivedRequest>()
  const requests = setting.sign().map((request, i) => {
    if (i % 10 >= 3) return request
    const forgery = FORGERIES[forgeries.size % FORGERIES.length]!(request)
    forgeries.add(forgery)
    return forgery
  })
  const honest = createCounter()
  const forged = createCounter()
  const outcome = await setting.send(setting.ours, {
    requests,
    seconds: SECONDS,
    onAnswer: (request, status) => (forgeries.has(request) ? forged : honest).add(status)
  })

  console.log('\nThree requests in ten are forged')
  console.log(
    `${outcome.perSecond.toFixed(0)} requests/s   p50 ${outcome.p50} ms, p99 ${outcome.p99} ms   ` +
      `honest ${JSON.stringify(honest.counts)}, forged ${JSON.stringify(forged.counts)}`
  )
  const broken: string[] = []
  if (Object.keys(honest.counts).join() !== '200') broken.push('not every honest request was accepted')
  if (Object.keys(forged.counts).join() !== '401') broken.push('not every forged request was rejected')
  return broken
}

type Lines = readonly (readonly [string, string])[]

const withHeader = (request: ReceivedRequest, name: string, change: (value: string) => string) => ({
  ...request,
  headers: (request.headers as Lines).map(
    ([header, value]) => [header, header === name ? change(value) : value] as const
  )
})

const FORGERIES: readonly ((request: ReceivedRequest) => ReceivedRequest)[] = [
  // These forgeries cost an RSA verification.
  request => ({ ...request, target: '/hook?id=8' }),
  request => withHeader(request, 'X-Nonce', nonce => `${nonce}0`),
  // This forgery costs the body's digest as well.
  request => ({ ...request, body: Buffer.from(request.body as Uint8Array).fill('x', 0, 1) }),
  // These forgeries cost neither.
  request => withHeader(request, 'Signature', value => value.replace('service.example', 'evil.example')),
  request => withHeader(request, 'Date', () => 'Sun, 06 Nov 1994 08:49:37 GMT')
]
