import type { ReceivedRequest } from '../../../src/index.ts'
import { type service, withHeaders, withSignature } from '../../../test/support/service.ts'

type Signed = ReturnType<typeof service.sign>

/** What an attacker makes of requests of the service, each kind with its code. */
export const UNWANTED: readonly (readonly [kind: string, code: string, make: (signed: Signed) => ReceivedRequest])[] = [
  [
    'unsigned requests',
    'signature-missing',
    signed => withHeaders(signed, { Signature: undefined, 'X-Service-ID': undefined, Digest: undefined })
  ],
  [
    'requests of another domain',
    'key-name-outside-domain',
    signed => withSignature(signed, value => value.replace('service.example', 'elsewhere.example'))
  ],
  ['requests of an old Date', 'date-too-old', signed => withHeaders(signed, { Date: 'Sun, 06 Nov 1994 08:49:37 GMT' })],
  [
    'forged signatures',
    'signature-mismatch',
    signed => withSignature(signed, value => value.replace(/signature="(.{8})(.{8})/, 'signature="$2$1'))
  ],
  ['captured heads with another body', 'digest-mismatch', signed => ({ ...signed, body: 'y'.repeat(1024) })],
  ['captured heads with another path', 'signature-mismatch', signed => ({ ...signed, target: '/elsewhere' })],
  ['replays', 'replayed', signed => signed]
]
