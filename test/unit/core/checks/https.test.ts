import { expect, test } from 'vitest'
import { checkHttps } from '../../../../src/core/checks/https.ts'
import { contextWith } from '../../../support/checks.ts'

test.each(['https', 'HTTPS'])('X-Forwarded-Proto: %s over plain HTTP is named in the evidence', received => {
  const context = contextWith({}, { https: false, headers: { 'X-Forwarded-Proto': received } })
  expect(checkHttps(context)).toMatchObject({
    code: 'not-https',
    evidence: { header: 'X-Forwarded-Proto', received: ['https'] }
  })
})
