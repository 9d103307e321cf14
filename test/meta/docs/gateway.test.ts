import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../../gateway/src/admin/metrics.ts'
import { GATEWAY_OPTIONS } from '../../../gateway/src/cli/flags.ts'
import { givenOptions } from '../../../gateway/src/cli/given-options.ts'
import { validateSettings } from '../../../gateway/src/cli/validate-settings.ts'
import { fileOfPage } from '../../../gateway/test/docs-commands.ts'
import { CODES } from '../../../src/verdict/codes.ts'
import { withHelp } from './command-line.ts'
import { read } from './pages.ts'

const page = read('docs/gateway.md')

test('the help is what --help prints: npm run docs:cli', () => {
  expect(page).toContain('<!-- help: gateway -->')
  expect(withHelp(page)).toBe(page)
})

/** The settings that a file of this content makes. */
function settingsOf(json: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const config = join(folder, 'gateway.json')
  writeFileSync(config, json)
  try {
    return validateSettings(givenOptions({ config }, {}))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('gateway.json is accepted', () => {
  expect(settingsOf(fileOfPage('gateway.json'))).toMatchObject({
    upstream: new URL('http://127.0.0.1:9000'),
    verifier: { serviceDomain: 'service.example', hosts: ['hooks.example.com'], accounts: ['1234'] },
    https: 'x-forwarded-proto',
    admin: { address: { host: '127.0.0.1', port: 9901 } }
  })
})

describe('argument, variable and file are the same option', () => {
  const rows = [...page.matchAll(/^\| `(--[^`]+)` \| `(SIGNED_REQUESTS_[^`]+)` \| `([^`]+)` \|$/gm)]

  test('the table has rows', () => {
    expect(rows.length).toBeGreaterThan(2)
  })

  test.each(rows.map(([, argument = '', variable = '', inFile = '']) => ({ argument, variable, inFile })))(
    '$argument',
    ({ argument, variable, inFile }) => {
      const [name = '', value = ''] = variable.split('=')
      const own = JSON.parse(`{${inFile}}`) as Record<string, unknown>
      const required = JSON.parse(fileOfPage('gateway.json')) as Record<string, unknown>
      for (const option of Object.keys(own)) delete required[option]
      const rest = Object.entries(required).flatMap(([option, text]) => [`--${option}`, String(text)])
      const fromArguments = (args: string[], env = {}) =>
        validateSettings(givenOptions(parseArgs({ args, options: GATEWAY_OPTIONS }).values, env))

      const fromFile = settingsOf(JSON.stringify({ ...required, ...own }))
      expect(fromArguments(rest, { [name]: value })).toEqual(fromFile)
      expect(fromArguments([...rest, ...argument.split(' ')])).toEqual(fromFile)
      expect(fromFile).not.toEqual(settingsOf(fileOfPage('gateway.json')))
    }
  )
})

test('the metrics are those of the gateway', async () => {
  const { registry } = createMetrics()
  const own = (await registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('signed_requests_'))
  expect(own.map(({ name }) => name)).toEqual(
    [...page.matchAll(/^\| `(signed_requests_\w+)` \|/gm)].map(([, name]) => name)
  )
  registry.clear()
})

test('the codes that the page mentions exist', () => {
  const spoken = [...page.matchAll(/`(?:rejected|unavailable); ([\w, -]+)`/g)].flatMap(([, codes]) =>
    codes!.split(', ')
  )
  expect(spoken.length).toBeGreaterThan(1)
  for (const code of spoken) expect(CODES).toHaveProperty(code)
})
