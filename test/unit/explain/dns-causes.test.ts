import { expect, test } from 'vitest'
import { createVerifier, diagnose, type LookupTxt } from '../../../src/index.ts'
import { service } from '../../support/service.ts'

/** Diagnoses a request whose key is looked up so. */
async function diagnosed(
  answer: () => Promise<string[][]>,
  servers: string[] = [],
  settings: 'options' | 'flags' = 'options'
) {
  const lookupTxt: LookupTxt = Object.assign(answer, { servers: () => servers })
  const verdict = await createVerifier({ ...service.options, lookupTxt })(service.sign())
  const [{ code, cause, fix } = expect.fail()] = diagnose(verdict, { settings }).failures
  return { code, cause, fix }
}

const refused = () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))

test.each(['127.0.0.1', '127.0.0.1:53', '::1', '[::1]:53'])(
  'a resolver list of %s alone that refuses is told',
  async server => {
    expect(await diagnosed(refused, [server])).toMatchObject({
      code: 'key-lookup-failed',
      cause: expect.stringContaining('c-ares 1.34.6'),
      fix: expect.stringMatching(/servers.*dohTxtLookup/)
    })
    const { fix } = await diagnosed(refused, [server], 'flags')
    expect(fix).toMatch(/--dns-server.*--doh/)
  }
)

test.each([
  ['another server', ['10.0.0.2']],
  ['another port', ['127.0.0.1:5353']],
  ['another server besides', ['127.0.0.1', '10.0.0.2']],
  ['no known server', []]
])('with %s, TCP that refuses is told', async (_, servers) => {
  const { cause } = await diagnosed(refused, servers)
  expect(cause).not.toContain('c-ares')
  expect(cause).toContain('refuses TCP')
})

test('an alias that leads to a name without TXT records is told, and not a wildcard', async () => {
  expect(await diagnosed(async () => [])).toMatchObject({
    code: 'key-not-found',
    cause: expect.stringContaining('the alias leads to a name without a key')
  })
  const { cause } = await diagnosed(() => Promise.reject(Object.assign(new Error('x'), { code: 'ENODATA' })))
  expect(cause).not.toContain('alias')
})
