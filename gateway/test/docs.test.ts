import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { variableOf } from '../../flags/variables.ts'
import { CODES } from '../../src/core/result/codes.ts'
import { GATEWAY_CODES } from '../../src/internal/index.ts'
import { blocksOf, read } from '../../test/meta/docs/pages.ts'
import { runInside } from '../../test/support/run-cli.ts'
import { createMetrics } from '../src/admin/metrics.ts'
import { GATEWAY } from '../src/options/flags.ts'
import { deployedFile } from './docs-commands.ts'
import { runGatewayInside } from './support/run-inside.ts'

const page = read('docs/gateway.md')

test('the command of the README has good options', async () => {
  const [block] = blocksOf('gateway/README.md').filter(({ language }) => language === 'sh')
  const command = block!.code.replaceAll('\\\n', '').trim()
  const args = command.split(/\s+/).slice(2) // after npx and the name
  expect(args).toContain('--upstream')
  expect(await runGatewayInside([...args, '--check'])).toMatchObject({ code: 0 })
})

test('every flag has the right variable on the page', () => {
  const rows = [...page.matchAll(/`SIGNED_REQUESTS_(\w+)=[^`]+`\s+for `--([a-z-]+)/g)]
  expect(rows.length).toBeGreaterThan(1)
  for (const [, variable, flag] of rows) expect(variable).toBe(flag!.toUpperCase().replaceAll('-', '_'))
})

test('every variable in the examples exists', () => {
  const known = new Set(Object.values(GATEWAY).map(({ flag }) => variableOf(flag)))
  const named = new Set((page + read('docs/deploy.md')).match(/SIGNED_REQUESTS_[A-Z_]+/g))
  expect(named.size).toBeGreaterThan(8)
  for (const name of named) expect(known).toContain(name)
})

test('the Compose file and the Deployment are YAML with settings that are enough', () => {
  const { services } = parse(deployedFile('compose.yaml'))
  const [container] = parse(deployedFile('deployment.yaml')).spec.template.spec.containers
  const needed = 'UPSTREAM DOMAIN HOST ACCOUNT HTTPS REDIS'.split(' ').map(name => `SIGNED_REQUESTS_${name}`)
  expect(Object.keys(services.gateway.environment)).toEqual(expect.arrayContaining(needed))
  expect(container.env.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(needed))
})

test('the metrics are those of the gateway', async () => {
  const metrics = await createMetrics(() => ({ store: undefined, signatures: undefined })).registry.getMetricsAsJSON()
  const own = metrics.map(({ name }) => name).filter(name => name.startsWith('signed_requests_'))
  expect(own).toEqual([...page.matchAll(/^\| `(signed_requests_\w+)` \|/gm)].map(([, name]) => name))
})

const mentioned = [...page.matchAll(/`(?:rejected|unavailable); ([\w, -]+)`/g)].flatMap(([, codes]) =>
  codes!.split(', ')
)
test.each(mentioned)('the code %s that the page mentions exists', code => expect(CODES).toHaveProperty(code))

// The image is built from a base with a digest, which dependabot renews; the page shows only its tag.
test('the Dockerfile of the page is the one that the image is built from, but for the digest of its base', () => {
  const dockerfile = read('gateway/Dockerfile')
  expect(dockerfile).toMatch(/^FROM node:[\w.-]+@sha256:[0-9a-f]{64}\n/)
  expect(dockerfile.replace(/@sha256:\w+/, '')).toBe(deployedFile('Dockerfile'))
})

describe('explain CODE of the library knows the codes of the log that are not of a check:', () => {
  const rows = [...read('docs/checks-and-codes.md').matchAll(/^\| `(\S+)` \| (\d{3}) \|/gm)]

  test('the page has each of them once, and those of Node.js', () => {
    expect(rows.map(([, code]) => code)).toEqual(Object.keys(GATEWAY_CODES))
    expect(rows.at(-1)?.[1]).toBe('HPE_*')
  })

  test.each([...rows.map(([, code = '']) => code.replace('*', 'INVALID_METHOD'))])('%s', async code => {
    const [, , status] = rows.find(([, row]) => row === code) ?? rows.at(-1)!
    const { code: exit, stdout, stderr } = await runInside(['explain', code])
    expect([exit, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).not.toContain('`')
    const text = stdout.replaceAll('\n', ' ')
    expect(text).toContain(`${code}: a code of the gateway, HTTP ${status} `)
    expect(text).toMatch(/ fix: \S.*\. {2}page: docs\/checks-and-codes\.md#codes-of-the-gateway /)
    const asked = await runInside(['explain', code, '--json'])
    expect(JSON.parse(asked.stdout)).toMatchObject({ code, httpStatus: Number(status), fix: expect.any(String) })
  })
})
