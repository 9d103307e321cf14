import type { ReceivedRequest } from '../../src/index.ts'
import { asReceived, type Signed } from '../sample.ts'

/** A request that the service did not send, made from one that it did. */
interface Unwanted {
  readonly name: string
  readonly code: string
  make(signed: Signed): ReceivedRequest
}

const withHeader = ({ request }: Signed, name: string, change: (value: string) => string): ReceivedRequest => ({
  ...request,
  headers: asReceived(
    request.headers.map(([each, value]) =>
      each === name ? ([each, change(value)] as const) : ([each, value] as const)
    )
  )
})

/** Replaces the signature by one of the same length that no key made. */
const forged = (value: string): string =>
  value.replace(/signature="([^"]{8})([^"]{8})/, (_, first: string, second: string) => `signature="${second}${first}`)

export const UNWANTED: readonly Unwanted[] = [
  {
    name: 'unsigned',
    code: 'signature-missing',
    make: ({ request }) => ({ ...request, headers: request.headers.filter(([name]) => /^(?:Host|Date)$/.test(name)) })
  },
  {
    name: 'another domain',
    code: 'key-name-outside-domain',
    make: signed => withHeader(signed, 'Signature', value => value.replace('service.example', 'elsewhere.example'))
  },
  {
    name: 'an old Date',
    code: 'date-too-old',
    make: signed => withHeader(signed, 'Date', () => 'Sun, 06 Nov 1994 08:49:37 GMT')
  },
  {
    name: 'a forged signature',
    code: 'signature-mismatch',
    make: signed => withHeader(signed, 'Signature', forged)
  },
  {
    name: 'another body',
    code: 'digest-mismatch',
    make: ({ request }) => ({ ...request, body: request.body.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) })
  },
  {
    name: 'another path',
    code: 'signature-mismatch',
    // One that no guess explains: the search for the changed line goes on to its limit.
    make: ({ request }) => ({ ...request, target: request.target.replace('/hook', '/elsewhere') })
  }
]
