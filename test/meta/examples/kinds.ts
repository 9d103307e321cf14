import type { ReceivedRequest } from '../../../src/index.ts'
import type { SignRequest, TestService } from '../../../src/testing/index.ts'

export interface Kind {
  name: string
  request: SignRequest
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const RESERVED = '/hook/a%2Fb//caf%C3%A9/%e2%82%ac?next=/x?y&name=%C3%A9%20b+c&empty=&%5B%5D=%2F'

const post = (body: string | Uint8Array, headers = {}): SignRequest => ({ target: '/hook/orders', body, headers })

/** Every recipe must verify these. A parser on the way would accept each body. */
export const KINDS: readonly Kind[] = [
  { name: 'a POST of JSON', request: post('{ "id": 1, "name": "Zoë" }\n') },
  { name: 'a POST of a form', request: post('name=Zo%c3%ab&note=a+b%20c&empty=', FORM) },
  { name: 'a GET without a body', request: { target: '/hook/content/42' } },
  { name: 'a body of 5 MB', request: post(`{"data":"${'0123456789'.repeat(500_000)}"}`) },
  { name: 'a body that is not valid UTF-8', request: post(Buffer.from('{"name":"Zo\xeb \xff"}', 'latin1')) },
  { name: 'a target with ?, %2F, // and UTF-8 escapes', request: { target: RESERVED, body: '{}' } }
]

export interface Forgery {
  name: string
  forge: (service: TestService) => ReceivedRequest
}

const order: SignRequest = { target: '/hook/orders?id=1', body: '{"amount":100}' }

/** Changes the header lines of an order after signing. */
const changed =
  (change: (lines: (readonly [string, string])[]) => (readonly [string, string])[]): Forgery['forge'] =>
  service => {
    const signed = service.sign(order)
    return { ...signed, headers: change(pairs(signed)) }
  }

/** Every recipe must refuse these with 401. */
export const FORGERIES: readonly Forgery[] = [
  { name: 'a body that was changed', forge: service => ({ ...service.sign(order), body: '{"amount":900}' }) },
  { name: 'a target that was changed', forge: service => ({ ...service.sign(order), target: '/hook/orders?id=2' }) },
  { name: 'a request for another host', forge: service => service.sign({ ...order, host: 'other.example' }) },
  { name: 'a second account header', forge: changed(lines => [...lines, ['X-Service-ID', 'account-1234']]) },
  { name: 'a request without a signature', forge: changed(lines => lines.filter(([name]) => name !== 'Signature')) }
]

export const pairs = ({ headers }: ReceivedRequest): (readonly [string, string])[] => [
  ...(headers as Iterable<readonly [string, string]>)
]
