import { expect, test } from 'vitest'
import { authorizeHelp, gatewayHelp, parseGateway } from '../../src/options/command-line.ts'

test.each(['autorize', 'Authorize', 'authorise'])('a word that is near the command is taken for it: %s', word => {
  expect(() => parseGateway([word], {})).toThrow(`there is no command ${word} (did you mean authorize?); see --help`)
})

test('a command after the flags is a mistake that says its place', () => {
  expect(() => parseGateway(['authorize'], {})).toThrow('authorize must be the first argument; see --help')
})

test.each([
  [
    'the gateway',
    gatewayHelp,
    'A reverse proxy that verifies each request and forwards those that are verified, with the account in ' +
      'Signed-Request-Account. URLs with passwords, and SIGNED_REQUESTS_ADMIN_TOKEN, which --admin needs on an ' +
      'address that is not loopback, are taken from the environment only. '
  ],
  [
    'authorize',
    authorizeHelp,
    'Answers a proxy that asks before it forwards (Envoy, nginx with Lua or njs, Traefik, APISIX): 200 for a ' +
      'verified request, with the account in Signed-Request-Account, and else 401, 413 or 503. '
  ]
])(
  'the help of %s marks the flags that can be variables, says how they are named, and has each exit code',
  (_, help, about) => {
    expect(help().replace(/\s+/g, ' ')).toContain(about)
    expect(help()).toMatch(/\n\* --listen /)
    expect(help()).toContain('SIGNED_REQUESTS_')
    expect(help()).toMatch(/--version .*\n(?:.*\n)* {2}64 +a mistake in the options$/m)
    expect(help().includes('answer a proxy that asks before it forwards')).toBe(help === gatewayHelp)
    const codes = help()
      .split('Exit codes:\n')[1]!
      .matchAll(/^ {2}(\d+) /gm)
    expect([...codes].map(([, code]) => code)).toEqual(['0', '1', '2', '64'])
  }
)
