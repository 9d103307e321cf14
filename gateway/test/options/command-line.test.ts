import { expect, test } from 'vitest'
import { authorizeHelp, gatewayHelp, parseGateway } from '../../src/options/command-line.ts'

test.each(['autorize', 'Authorize', 'authorise'])('a word that is near the command is taken for it: %s', word => {
  expect(() => parseGateway([word], {})).toThrow(`there is no command ${word} (did you mean authorize?); see --help`)
})

test('a command after the flags is a mistake that says its place', () => {
  expect(() => parseGateway(['authorize'], {})).toThrow('authorize must be the first argument; see --help')
})

test.each([
  ['the gateway', gatewayHelp],
  ['authorize', authorizeHelp]
])('the help of %s marks the flags that can be variables, and says how they are named', (_, help) => {
  expect(help()).toMatch(/\n\* --listen /)
  expect(help()).toContain('SIGNED_REQUESTS_')
})
