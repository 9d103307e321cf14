import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createVerifier, httpStatus } from 'signed-requests'
import { fromFixture } from 'signed-requests/testing'

// your receiver, with the verifier passed in
const receiver = verify => async request => httpStatus(await verify(request))

test('the forgery of 24 November is refused', async () => {
  const file = new URL('refused.json', import.meta.url)
  const { request, options, expected } = fromFixture(JSON.parse(await readFile(file)))
  assert.equal(expected.status, 'rejected') // in production
  assert.equal(await receiver(createVerifier(options))(request), 401)
})
