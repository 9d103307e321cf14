import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVerifier, httpStatus } from 'signed-requests'
import { createRecorder } from 'signed-requests/recorder'
import { createTestService, fromFixture } from 'signed-requests/testing'

// yours, with the verifier passed in: a verdict is an object, so the first one takes every request
const careless = verify => async request => ((await verify(request)) ? 200 : 401)
const fixed = verify => async request => httpStatus(await verify(request))

/** The test that goes into the repository, beside the file. */
async function refusesForgery(receiver, file) {
  const { request, options, expected } = fromFixture(JSON.parse(await readFile(file, 'utf8')))
  assert.equal(expected.status, 'rejected') // what was found in production
  assert.equal(await receiver(createVerifier(options))(request), 401)
}

test('a forgery of production is a test, red before the receiver is fixed and green after', async () => {
  // production: somebody changes the body of a signed request
  const directory = await mkdtemp(join(tmpdir(), 'refused-'))
  const recorder = createRecorder({ directory })
  const service = createTestService()
  const verify = createVerifier({ ...service.options, recorder })
  const signed = service.sign({ method: 'POST', target: '/hook', body: '{"amount":1}' })
  await verify({ ...signed, body: '{"amount":9}' })
  await recorder.written()

  // after the incident, in the repository
  const [name] = await readdir(directory)
  assert.match(name, /^\d{4}-.*Z-digest-mismatch-key-1\.json$/)
  await assert.rejects(refusesForgery(careless, join(directory, name)))
  await refusesForgery(fixed, join(directory, name))
})
