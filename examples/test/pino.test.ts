import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createVerifier, logRecord } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { read } from '../../test/meta/docs/pages.ts'

test('the serializer for pino logs the record of a verdict, and nothing else that a sender wrote', async () => {
  expect(read('docs/operations.md')).toContain('`pino({ serializers: { verdict: logRecord } })`')
  expect(read('docs/operations.md')).toContain("`logger.info({ verdict }, 'received')`")
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    }
  })
  const logger = pino({ serializers: { verdict: logRecord } }, stream)
  const service = createTestService({ rsaBits: 1024 })
  const verify = createVerifier(service.options)
  const signed = service.sign({ body: 'a secret' })

  for (const request of [signed, { ...signed, body: 'a forgery' }]) {
    const verdict = await verify(request)
    logger.info({ verdict }, 'received')
    const line = lines.pop()!
    expect(JSON.parse(line)).toMatchObject({ msg: 'received', verdict: { status: verdict.status } })
    expect(JSON.parse(line).verdict).toEqual(JSON.parse(JSON.stringify(logRecord(verdict))))
    for (const secret of ['a secret', 'a forgery', '"checks"', '"evidence"'])
      expect(line).not.toContain(secret)
  }
  expect(lines).toEqual([])
})
