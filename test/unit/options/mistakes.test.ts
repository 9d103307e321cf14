import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createAccountClient } from '../../../src/account/index.ts'
import {
  assertVerified,
  createVerifier,
  dnsTxtLookup,
  explain,
  fromFetchRequest,
  fromLambdaEvent,
  fromNodeRequest,
  httpStatus,
  logRecord,
  type ReceivedRequest
} from '../../../src/index.ts'
import { memoryReplayStore, redisReplayStore } from '../../../src/replay/index.ts'
import { createTestService } from '../../../src/testing/index.ts'

const service = createTestService({ rsaBits: 1024 })
const required = { serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' }

const option = (options: object) => () => createVerifier({ ...required, ...options } as never)
const passed = (request: object | undefined) => () =>
  createVerifier(service.options)(request as ReceivedRequest)
const verdictTo = (take: (verdict: never) => unknown, verdict: unknown) => () => take(verdict as never)

const unset = process.env['SIGNED_REQUESTS_TEST_UNSET']
const nodeRequest = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: '/hook' })
const fetchRequest = new Request('https://hooks.example.com/hook')
const promise = Promise.resolve()

/** [mistake, call, what was received … what is expected or wrong … what to write instead] */
const MISTAKES = [
  [
    'no options',
    () => createVerifier(undefined as never),
    'undefined … options … serviceDomain, hosts, accounts'
  ],
  ['a misspelled option', option({ requireHTTPS: false }), '"requireHTTPS" … no option … requireHttps'],
  [
    'an unset serviceDomain',
    option({ serviceDomain: unset }),
    'undefined … environment variable … "service.example"'
  ],
  [
    'a serviceDomain that is a URL',
    option({ serviceDomain: 'https://a.example' }),
    '"https://a.example" … DNS name … "service.example"'
  ],
  [
    'a serviceDomain of one label',
    option({ serviceDomain: 'com' }),
    '"com" … a single label … "service.example"'
  ],
  ['unset hosts', option({ hosts: unset }), 'undefined … environment variable … "hooks.example.com"'],
  [
    'an unset host among others',
    option({ hosts: [unset] }),
    'undefined … environment variable … "hooks.example.com"'
  ],
  [
    'a host that is a URL',
    option({ hosts: 'https://a.example:8443/hook' }),
    '"https://a.example:8443/hook" … without scheme, path … "hooks.example.com"'
  ],
  [
    'several hosts in one string',
    option({ hosts: ['c.example', 'a.example, b.example'] }),
    '"a.example, b.example" … each host name by itself … "hooks.example.com"'
  ],
  [
    'a host with a space',
    option({ hosts: ' a.example' }),
    '" a.example" … without scheme, path, white space … "hooks.example.com"'
  ],
  [
    'a wildcard host',
    option({ hosts: '*.a.example' }),
    '"*.a.example" … without scheme, path, white space or wildcards … each host name'
  ],
  ['no hosts', option({ hosts: [] }), 'an empty array … each host name … "hooks.example.com"'],
  ['unset accounts', option({ accounts: unset }), 'undefined … environment variable … "1234"'],
  ['empty accounts', option({ accounts: '' }), '"" … non-empty string … "1234"'],
  [
    'an account id that is a number',
    option({ accounts: 5678 }),
    'the number 5678 … a non-empty string … "5678"'
  ],
  [
    'a number among the account ids',
    option({ accounts: ['1', 5678] }),
    'the number 5678 … a non-empty string … "5678"'
  ],
  ['an account id with a space', option({ accounts: '1234 ' }), '"1234 " … white space … write "1234"'],
  [
    'an account id with a line break',
    option({ accounts: ['1234\n'] }),
    '"1234\\n" … white space … write "1234"'
  ],
  [
    'an account id with the prefix',
    option({ accounts: 'account-1234' }),
    '"account-1234" … prefix "account-" … the id alone, "1234"'
  ],
  [
    'accounts that are a Promise',
    option({ accounts: promise }),
    'a Promise … is an await missing? … such as "1234"'
  ],
  [
    'a header name with a colon',
    option({ accountHeader: 'X-Brand-ID:' }),
    '"X-Brand-ID:" … name of a header … "X-Service-ID"'
  ],
  [
    'an accountPrefix that is a pattern',
    option({ accountPrefix: /account-/ }),
    'an object … pass a string … "account-"'
  ],
  [
    'requireHttps from the environment',
    option({ requireHttps: 'false' }),
    '"false" … requireHttps … true or false'
  ],
  [
    'milliseconds for dateTolerance',
    option({ dateTolerance: 300_000 }),
    'the number 300000 … a number of seconds, at least 0 and at most 86400 … such as 300'
  ],
  ['text for dateTolerance', option({ dateTolerance: '300' }), '"300" … a number of seconds … such as 300'],
  [
    'one algorithm without an array',
    option({ algorithms: 'ed25519' }),
    '"ed25519" … an array of … rsa-sha256'
  ],
  [
    'an algorithm that does not exist',
    option({ algorithms: ['rsa-md5'] }),
    '"rsa-md5" … must be one of … rsa-sha256'
  ],
  ['a scheme that does not exist', option({ schemes: ['cavage'] }), '"cavage" … an array of … draftCavage'],
  [
    'alsoCovered without an array',
    option({ alsoCovered: 'content-type' }),
    '"content-type" … an array of header names … ["content-type"]'
  ],
  ['limits that leave no key', option({ minRsaBits: 8193 }), '8193 … above maxRsaBits … 8192'],
  ['a timeout of no time', option({ lookupTimeout: 0 }), 'the number 0 … at least 1 … such as 5000'],
  [
    'dnsTxtLookup without a call',
    option({ lookupTxt: dnsTxtLookup }),
    'a function … is a call missing? … pass dnsTxtLookup()'
  ],
  [
    'a store without a call',
    option({ replayStore: memoryReplayStore }),
    'a function … is a call missing? … memoryReplayStore()'
  ],
  [
    'a Map as the store',
    option({ replayStore: new Map() }),
    'an object … claim(id, ttlSeconds) … memoryReplayStore()'
  ],
  ['a time as the clock', option({ now: 5 }), 'the number 5 … a function … () => milliseconds since 1970'],
  [
    'a clock of Dates',
    () => createVerifier({ ...service.options, now: (() => 'now') as never })(service.sign()),
    'now() returned now … return milliseconds … since 1970'
  ],

  [
    'nothing to verify',
    passed(undefined),
    'undefined … { method, target, headers, body, https } … fromNodeRequest(req)'
  ],
  [
    'an adapter that was awaited too late',
    passed(promise),
    'a Promise … is an await missing? … fromFetchRequest(request)'
  ],

  [
    'the wrong adapter for req',
    () => fromFetchRequest(nodeRequest as never),
    'takes a Request … fromNodeRequest()'
  ],
  [
    'the wrong adapter for a Request',
    () => fromNodeRequest(fetchRequest as never),
    'takes the request object of node:http … fromFetchRequest()'
  ],
  [
    'another event of Lambda',
    () => fromLambdaEvent({ Records: [] } as never),
    'the event of an HTTP request … the first argument of the handler'
  ],
  [
    'an adapter option in capitals',
    () => fromNodeRequest(nodeRequest, { https: 'X-Forwarded-Proto' as never }),
    '"X-Forwarded-Proto" … options.https … write true, false or "x-forwarded-proto"'
  ],
  [
    'a URL as the host',
    () => fromNodeRequest(nodeRequest, { host: 'https://a.example' }),
    '"https://a.example" … options.host … "hooks.example.com"'
  ],
  [
    'a parsed body for an adapter',
    () => fromNodeRequest(nodeRequest, { body: { id: 1 } as never }),
    'a parsed body … bytes as sent … express.raw({ type: "*/*" })'
  ],

  ...(
    [
      ['httpStatus', httpStatus],
      ['explain', explain],
      ['assertVerified', assertVerified],
      ['logRecord', logRecord]
    ] as const
  ).flatMap(([name, take]) => [
    [
      `${name} without await`,
      verdictTo(take, Promise.resolve()),
      `a Promise … an await is missing … ${name}(await verify(request))`
    ] as const,
    [
      `${name} with another object`,
      verdictTo(take, { status: 200 }),
      'an object … takes a verdict … what verify(request) resolves to'
    ] as const,
    [
      `${name} with nothing`,
      verdictTo(take, undefined),
      'undefined … takes a verdict … what verify(request) resolves to'
    ] as const
  ]),

  [
    'a DNS server with a name',
    () => dnsTxtLookup({ servers: ['dns.example'] }),
    'IP addresses … "127.0.0.1:5353"'
  ],
  [
    'a misspelled limit of a store',
    () => memoryReplayStore({ maxEntires: 1 } as never),
    '"maxEntires" … no option … maxEntries'
  ],
  ['a Redis client of another kind', () => redisReplayStore({} as never), 'client must be … ioredis'],
  [
    'an account client without its token',
    () => createAccountClient({ authUrl: 'https://a.example', baseUrl: 'https://a.example' } as never),
    'accessToken'
  ]
] as const

test.each(MISTAKES)(
  '%s: says what was received, what is expected and what to write instead',
  async (_, make, parts) => {
    const error = await new Promise<void>(resolve => resolve(make() as never)).then(
      () => 'nothing was thrown',
      (thrown: unknown) => thrown
    )
    expect(error).toBeInstanceOf(TypeError)
    const { message } = error as TypeError
    for (const part of parts.split(' … ')) expect(message).toContain(part)
    expect(message).toMatch(/^[ -~]+$/)
  }
)

describe('a secret that is passed in the wrong place', () => {
  test('is not in the message of an option that is an object', () => {
    expect(() =>
      createVerifier({ ...required, replayStore: { url: 'redis://user:secret@host' } as never })
    ).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret') }))
  })
})
