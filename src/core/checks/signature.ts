import { encodeBase64 } from '../http/base64.ts'
import { fail, ok, type Result } from '../result/result.ts'
import { verifySignature } from '../signature/verify-signature.ts'
import type { Candidate, Examination } from './context.ts'
import { MAX_EXPECTED } from './expected.ts'
import { linesOfNames, proxiesIn } from './host.ts'

/** The signature verifies with the key, or during a rotation with one of the keys. The value is that key. */
export function checkSignature({
  fields,
  settings: { hosts },
  results
}: Examination<'signature-header' | 'coverage' | 'key-name' | 'key'>): Result<Candidate> {
  const [signingString, keyId, candidates] = [results.coverage.value, results['key-name'].value, results.key.value]
  const { signature } = results['signature-header'].value.parsed
  for (const candidate of candidates) {
    if (verifySignature(signingString, signature, candidate.key, candidate.algorithm)) return ok(candidate)
  }
  const { algorithm, record } = candidates[0]!
  const forwarded = linesOfNames(fields, FORWARDING)
  return fail('signature-mismatch', {
    signingString,
    keyId,
    algorithm,
    record: record.text,
    ...(candidates.length > 1 && { records: candidates.map(({ record }) => record.text) }),
    signature: encodeBase64(signature),
    ...(hosts.some(name => name !== fields.values.get('host')) && { hosts: hosts.slice(0, MAX_EXPECTED) }),
    ...(forwarded.length > 0 && { forwarded }),
    ...proxiesIn(fields)
  })
}

/** Proxies say in these headers what they changed. They are trusted for nothing: `diagnose` tries their values. */
const FORWARDING = [
  'X-Forwarded-Host',
  'X-Forwarded-Port',
  'X-Forwarded-Prefix',
  'X-Forwarded-Uri',
  'X-Original-Host',
  'X-Original-URI',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Envoy-Original-Path'
]
