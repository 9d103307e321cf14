import { BODY, DIGEST, REPLAY, WHOLE } from './body.ts'
import { ACCOUNT, DATE, HOST, HTTPS, REQUEST } from './head.ts'
import { DNS, KEY, KEY_NAME, KEY_RECORD, RECORDS } from './key.ts'
import type { Rule } from './rule.ts'
import { ALGORITHM, BASE64, SIGNATURE_HEADER, TIMES } from './signature-header.ts'
import { COVERAGE, SIGNATURE, SIGNING_STRING } from './signing-string.ts'

/** The rules of fixtures/README.md. Every vector of the draft stands under one. */
export const RULES: readonly Rule[] = [
  ...REQUEST,
  ...HTTPS,
  ...DATE,
  ...HOST,
  ...ACCOUNT,
  ...SIGNATURE_HEADER,
  ...BASE64,
  ...ALGORITHM,
  ...TIMES,
  ...COVERAGE,
  ...SIGNING_STRING,
  ...KEY_NAME,
  ...DNS,
  ...RECORDS,
  ...KEY_RECORD,
  ...KEY,
  ...SIGNATURE,
  ...DIGEST,
  ...BODY,
  ...REPLAY,
  ...WHOLE
]
