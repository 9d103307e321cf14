import { describe, expect, test } from 'vitest'
import type { Response } from '../../../cli/exchange.ts'
import { type Attempt, summarizeRequests, summarizeResponses } from '../../../cli/send/summary.ts'
import { tamper } from '../../../cli/send/tamper.ts'
import { service } from '../../support/service.ts'

const response = (status: number, headers: Response['headers'] = {}): Response => ({
  method: 'POST',
  url: new URL('http://receiver.example/hook'),
  path: '/hook',
  status,
  statusText: '',
  headers,
  body: Buffer.alloc(0)
})

const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  isForgery: false,
  keyId: 'one._domainkey.service.example',
  dns: { address: '127.0.0.1:5353', isAsked: true },
  started: undefined,
  dateTolerance: 300,
  urlHost: undefined,
  ...changes
})
const NOT_ASKED = { address: '127.0.0.1:5353', isAsked: false }
const NOT_OURS = /^This is not a refusal of signed-requests: /

test('413 is of the receiver when it has asked for the key, and of something in front when it has not', () => {
  const page = response(413, { 'content-type': 'text/html' })
  expect(summarizeResponses([page], attempt())).toEqual([1, expect.stringMatching(/^The receiver did get the key /)])
  expect(summarizeResponses([response(413)], attempt())).toEqual([
    1,
    expect.stringMatching(/^The receiver did get the key /)
  ])
  expect(summarizeResponses([response(413)], attempt({ dns: NOT_ASKED }))).toEqual([1, expect.stringMatching(NOT_OURS)])
})

test('413 without a key server is a refusal of ours: nothing shows who was asked', () => {
  expect(summarizeResponses([response(413)], attempt({ dns: undefined }))[1]).not.toMatch(NOT_OURS)
})

test('a redirect accepts nothing, be the request good or a forgery', () => {
  expect(summarizeResponses([response(299)], attempt())).toEqual([0])
  for (const isForgery of [false, true])
    expect(summarizeResponses([response(300)], attempt({ isForgery }))).toEqual([1, expect.stringMatching(NOT_OURS)])
})

test.each([
  [59, undefined],
  [61, 'behind']
])('a refusal whose Date is %i s from this clock is its clock from a --date-tolerance of 60 on', (seconds, way) => {
  const date = new Date(Date.now() + seconds * 1000 + 500).toUTCString()
  const refused = response(401, { date, 'www-authenticate': 'Signature' })
  const [exit, first] = summarizeResponses([refused], attempt({ dns: NOT_ASKED, dateTolerance: 60 }))
  expect([exit, first?.includes(`${way} the receiver's`)]).toEqual([1, way !== undefined])
})

test('the forged Date is ten seconds earlier than the one that was signed', () => {
  const signed = service.sign()
  const dateOf = ({ headers }: typeof signed) => Date.parse(new Map(headers).get('Date')!)
  expect(dateOf(tamper('date', signed, 'X-Service-ID').forged) - dateOf(signed)).toBe(-10_000)
})

describe('the whole of what is said and the exit code', () => {
  const KEY = 'one._domainkey.service.example'
  const OURS = response(401, { 'www-authenticate': 'Signature' })
  const UNDECIDED = response(503, { 'retry-after': '10' })
  const LINE = "  lookupTxt: dnsTxtLookup({ servers: ['127.0.0.1:5353'] })"
  const ASK_THIS = 'start the gateway with --dns-server 127.0.0.1:5353, or give createVerifier this line:'
  const DECLINED =
    'The receiver could not decide, and asks the sender to retry: its DNS or its store does not answer, or it ' +
    'refuses with 503 while it is introduced. Its own log says which: explain(verdict).'
  const NO_PROOF = `Accepted, but that proves nothing: nobody asked the DNS server at 127.0.0.1:5353 for ${KEY}, so the receiver verifies nothing,`
  const STARTED = { dns: NOT_ASKED, started: 'receiver.mjs' }

  test.each<[name: string, responses: Response[], changes: Partial<Attempt>, said: readonly unknown[]]>([
    ['a request that is accepted', [response(204)], {}, [0]],
    ['a request that is accepted without a DNS server of ours', [response(299)], { dns: undefined }, [0]],
    [
      'a forgery that is accepted',
      [response(200)],
      { isForgery: true },
      [1, 'The forgery was accepted: nothing verifies it, or the receiver only observes.']
    ],
    ['a forgery that is refused', [OURS], { isForgery: true }, [0, 'Refused, as it should be.']],
    [
      'a forgery that 401 without a challenge refuses',
      [response(401)],
      { isForgery: true, dns: NOT_ASKED },
      [
        0,
        'Refused, as it should be. It may not be signed-requests that refused: WWW-Authenticate: Signature is missing.'
      ]
    ],
    [
      'a forgery that a login refuses',
      [response(401, { 'www-authenticate': 'Basic' })],
      { isForgery: true, dns: NOT_ASKED },
      [1, expect.stringMatching(NOT_OURS)]
    ],
    [
      'a request that is accepted without a query',
      [response(200)],
      { dns: NOT_ASKED },
      [2, `${NO_PROOF} or asks another DNS server. --tamper body shows which: a receiver that verifies refuses it.`]
    ],
    [
      'a request that a started receiver accepts without a query',
      [response(200)],
      STARTED,
      [
        2,
        `${NO_PROOF} or sets its own resolver, which --start does not replace: take that out of receiver.mjs ` +
          'for this test. --tamper body shows which: a receiver that verifies refuses it.'
      ]
    ],
    [
      'a refusal after a query',
      [OURS],
      {},
      [1, `The receiver did get the key ${KEY}. Its own log says why it refused: explain(verdict).`]
    ],
    [
      'a refusal before a query',
      [OURS],
      { dns: NOT_ASKED },
      [
        1,
        `Nobody asked the DNS server at 127.0.0.1:5353 for ${KEY}: the receiver refused before it looked for the key ` +
          `(its log says why), or asks another server. To let it ask this one, ${ASK_THIS}`,
        LINE
      ]
    ],
    [
      'a refusal without a DNS server of ours',
      [OURS],
      { dns: undefined, urlHost: 'localhost:3000' },
      [
        1,
        'The Host of the URL, localhost:3000, was signed. If the receiver has another name (hosts), sign that: --host NAME.',
        `A receiver that verifies refused it. It needs the record of ${KEY}: publish the one above, or serve ` +
          `it with --serve-dns 127.0.0.1:5353 and ${ASK_THIS}`,
        LINE
      ]
    ],
    [
      'a refusal by a started receiver before a query',
      [OURS],
      STARTED,
      [
        1,
        'The receiver refused before it looked for the key (its log says why), or receiver.mjs sets its own ' +
          'resolver, which --start does not replace: take it out for this test.'
      ]
    ],
    [
      'a 503 after a query',
      [UNDECIDED],
      {},
      [
        2,
        'The receiver could not decide, and asks the sender to retry. It did ask for the key, so it is probably ' +
          'its replay store or its accounts function, or DNS answered too late. Its own log says which: ' +
          'explain(verdict).'
      ]
    ],
    [
      'a 503 before a query',
      [UNDECIDED],
      { dns: NOT_ASKED },
      [
        2,
        `${DECLINED} On the machine where it runs, check whether DNS answers:`,
        `  npx signed-requests key ${KEY}`,
        `To let it ask the DNS server at 127.0.0.1:5353, ${ASK_THIS}`,
        LINE
      ]
    ],
    [
      'a 503 by a started receiver',
      [UNDECIDED],
      STARTED,
      [
        2,
        `${DECLINED} receiver.mjs may set its own resolver, which --start does not replace. Check whether DNS ` +
          'answers here:',
        `  npx signed-requests key ${KEY}`
      ]
    ],
    [
      'a server without a site for this Host',
      [response(421)],
      { urlHost: 'localhost' },
      [1, expect.stringMatching(NOT_OURS), expect.stringMatching(/^The Host of the URL, localhost, was signed\./)]
    ],
    ['another 404', [response(404)], { urlHost: 'localhost' }, [1, expect.stringMatching(NOT_OURS)]],
    [
      'a repetition that another response refused',
      [response(200), response(404)],
      {},
      [0, 'No replay was accepted, but one response was 404 instead of 401.']
    ],
    [
      'two repetitions that are refused',
      [response(200), OURS, OURS],
      {},
      [0, 'Each replay was refused, as it should be.']
    ],
    [
      'a repetition that is accepted after a refusal',
      [OURS, OURS, response(200)],
      {},
      [
        1,
        'Request 3 was accepted, but request 1 with the same bytes was not: several receivers answer at this URL, and ' +
          'their settings, clocks or DNS differ; or the receiver was still starting.'
      ]
    ],
    [
      'a repetition that is accepted after the receiver failed',
      [response(500), response(204)],
      {},
      [
        1,
        'Request 1 got 500, and request 2 with the same bytes was accepted: the receiver failed, and released the ' +
          'claim, as it should. Its own log says why it answered 500.'
      ]
    ],
    [
      'repetitions of which one is accepted',
      [response(200), OURS, response(200)],
      {},
      [
        1,
        'Request 3, a replay of the same bytes, was accepted, but others were refused (2 of 3 accepted): several ' +
          'receivers answer at this URL, and they do not share a replay store. Give all processes one store: Redis or ' +
          'PostgreSQL, or SQLite on one machine.'
      ]
    ],
    [
      'repetitions that are all accepted',
      [response(200), response(200)],
      {},
      [
        1,
        'Request 2, a replay of the same bytes, was accepted, like all others: the receiver has no replay store, or it ' +
          'only observes.'
      ]
    ]
  ])('of %s', (_, responses, changes, said) => {
    expect(summarizeResponses(responses, attempt(changes))).toEqual(said)
  })

  const REFUSED_ALL = 'In all: all 2 forgeries were refused; '
  test.each<[Parameters<typeof summarizeRequests>[0], readonly unknown[]]>([
    [[[undefined, 0]], [0]],
    [[['body', 1]], [1]],
    [
      [
        ['body', 0],
        ['date', 0],
        [undefined, 0]
      ],
      [0, `${REFUSED_ALL}the good request was accepted.`]
    ],
    [
      [
        ['body', 0],
        ['date', 0],
        [undefined, 2]
      ],
      [2, `${REFUSED_ALL}the good request was not accepted, so the refusals prove nothing yet.`]
    ],
    [
      [
        ['body', 2],
        ['date', 1],
        [undefined, 0]
      ],
      [1, 'In all: not refused as it should be: body, date; the good request was accepted.']
    ]
  ])('of several requests that end with %j', (conclusions, said) => {
    expect(summarizeRequests(conclusions)).toEqual(said)
  })
})
