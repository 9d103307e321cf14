import { expect, test } from 'vitest'
import { assertVerdict } from '../../../../src/core/verdict/assert.ts'

const rejected = { status: 'rejected', failures: [], checks: {} }

test.each(['verified', 'rejected', 'unavailable'])('takes a verdict that is %s', status => {
  expect(() => assertVerdict('explain', { ...rejected, status })).not.toThrow()
})

test('names the await that is missing', () => {
  expect(() => assertVerdict('explain', Promise.resolve(rejected))).toThrow(
    new TypeError(
      'explain() got a Promise, so an await is missing: write explain(await verify(request)), or await the verdict first'
    )
  )
})

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['text', 'verified'],
  ['an empty object', {}],
  ['an unknown status', { ...rejected, status: 'ok' }],
  ['failures that are not a list', { ...rejected, failures: {} }],
  ['no failures', { ...rejected, failures: undefined }],
  ['no checks', { ...rejected, checks: undefined }],
  ['checks that are null', { ...rejected, checks: null }],
  ['checks that are text', { ...rejected, checks: 'all' }]
])('rejects %s', (_, verdict) => {
  const text = /^explain\(\) got .+ and takes a verdict: pass the verdict of verify\(request\), unchanged$/
  const error = { name: 'TypeError', message: expect.stringMatching(text) }
  expect(() => assertVerdict('explain', verdict)).toThrow(expect.objectContaining(error))
})
