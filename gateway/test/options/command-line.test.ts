import { expect, test } from 'vitest'
import {
  AUTHORIZE_HELP,
  authorizeHelp,
  GATEWAY_HELP,
  gatewayHelp,
  parseGateway
} from '../../src/options/command-line.ts'

test.each(['autorize', 'Authorize', 'authorise'])('a word that is near the command is taken for it: %s', word => {
  expect(() => parseGateway([word], {})).toThrow(`there is no command ${word} (did you mean authorize?); see --help`)
})

test('a command after the flags is a mistake that says its place', () => {
  expect(() => parseGateway(['authorize'], {})).toThrow('authorize must be the first argument; see --help')
})

test.each([
  ['the gateway', gatewayHelp, GATEWAY_HELP],
  ['authorize', authorizeHelp, AUTHORIZE_HELP]
])(
  'the help of %s marks the flags that can be variables, says how they are named, and has each exit code',
  (_, help, { about, exits }) => {
    expect(help().replace(/\s+/g, ' ')).toContain(about.join(' '))
    expect(help()).toMatch(/\n\* --listen /)
    expect(help()).toContain('SIGNED_REQUESTS_')
    expect(help()).toMatch(/--version .*\n(?:.*\n)* {2}64 +/m)
    expect(help().endsWith(exits[64]!)).toBe(true)
    expect(help().includes('answer a proxy that asks before it forwards')).toBe(help === gatewayHelp)
    const codes = help()
      .split('Exit codes:\n')[1]!
      .matchAll(/^ {2}(\d+) /gm)
    expect([...codes].map(([, code]) => code)).toEqual(['0', '1', '2', '64'])
  }
)
