import type { Code } from '../verdict/codes.ts'
import type { CheckName } from '../verdict/verdict.ts'

export type Advice = readonly [cause: string, fix: string]

/** A header that is missing, repeated or malformed. */
export const CHANGED_HEADER: Advice = [
  'the sender, or a proxy that changed it',
  'Have proxies pass every header on as it came; compare with what was sent.'
]

/** For a Signature that reads like a dictionary of structured fields, `sig1=:...:` (RFC 9421 section 4.2). */
export const OTHER_SCHEME: Advice = [
  'it is signed by RFC 9421, and not by the draft',
  "If the service says so, allow it: schemes: ['draft-cavage', 'rfc9421']."
]

const SET_CLOCK = 'Set the clock by NTP; a retry needs a fresh signature.'

const RESOLVER: Advice = [
  'your DNS server, or the way to it',
  'Check the resolver and the firewall (UDP and TCP 53); the sender may try again.'
]

/** The likely cause and the fix: by code, or else by check. */
export const ADVICE: Readonly<Partial<Record<Code | CheckName, Advice>>> = {
  request: ['a broken sender, or an attack', 'Pass method, target and headers as received, undecoded.'],
  https: [
    'TLS ends at a proxy, or the sender used http',
    "If your own proxy sets it, give the adapter https: 'x-forwarded-proto'."
  ],
  'date-too-old': ['If so, it was held up or sent again.', SET_CLOCK],
  'date-in-future': ["If so, the sender's is wrong.", SET_CLOCK],
  'host-mismatch': [
    'a proxy changed it, or the request is for another receiver',
    "Have the proxy keep it (nginx: proxy_set_header Host $http_host), use the adapter's host option, or add it to hosts."
  ],
  account: [
    'the service has its own header or prefix',
    'Set accountHeader and accountPrefix to what the service sends.'
  ],
  'account-mismatch': ['the request is for another customer', 'Add the id to accounts if it is yours.'],
  'account-check-failed': ['your accounts function threw', 'Repair it; the sender may try again.'],
  'signature-algorithm-not-allowed': [
    'the sender signs in another way',
    'If the service says so, add it to algorithms.'
  ],
  'signature-created-out-of-range': ['a time that does not fit', SET_CLOCK],
  'signature-expired': ['a time that does not fit', SET_CLOCK],
  'coverage-insufficient': [
    'not signed as the service signs',
    'Have the sender sign it, or anyone can change it; check accountHeader and alsoCovered.'
  ],
  'key-name': [
    "somebody else's key, or a wrong serviceDomain",
    'Set serviceDomain to where the service publishes its keys.'
  ],
  key: ['the service published a bad record', 'Look at it with: npx signed-requests key NAME'],
  'key-not-found': [
    'it was withdrawn, is not published yet, or your DNS server cannot see it',
    'Ask again with: npx signed-requests key NAME'
  ],
  'key-revoked': ['it was replaced', 'Have the request signed with the new key.'],
  'key-lookup-failed': RESOLVER,
  'key-lookup-timeout': RESOLVER,
  signature: [
    'another key made it (was it replaced?), or a signed line was changed on the way',
    'Compare the lines with those that the sender signed; proxies often change those with a *, and routers the ' +
      'target: pass the one received, such as req.originalUrl.'
  ],
  'digest-mismatch': [
    'the body was changed after it was signed',
    'Verify the raw bytes, before any body parser or proxy that re-encodes them.'
  ],
  'body-too-large': ['a large body, or a flood', 'Raise maxBodyBytes if the service sends such bodies.'],
  'body-unreadable': ['the connection broke', 'None: the sender may try again.'],
  replay: ['the store is down or slow', 'Check the store; the sender may try again.'],
  replayed: [
    'a retry of the same bytes, or an attack',
    'When your handler fails, call verify.release(verdict) to let a retry in.'
  ]
}
