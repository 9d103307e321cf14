import { ONE } from '../keys.ts'
import { KEY_ID, txt, vector } from '../recipe.ts'
import { rejected, unavailable, VERIFIED } from '../verdicts.ts'

const failing = (code: string | null) => ({ error: code })

export const source = 'RFC 1035 section 4.1.1 and RFC 2308 section 2, as Node.js reports them'
export const vectors = [
  vector('dns-name-does-not-exist', { records: failing('ENOTFOUND'), verdict: rejected('key-not-found') }),
  vector('dns-another-name-exists', {
    dns: { 'two._domainkey.service.example': txt(ONE.record), 'service.example': txt(ONE.record) },
    verdict: rejected('key-not-found')
  }),
  vector('dns-name-without-txt', { records: failing('ENODATA'), verdict: rejected('key-not-found') }),
  vector('dns-no-records', {
    note: 'What a dangling CNAME, or an answer with only addresses, resolves to.',
    records: [],
    verdict: rejected('key-not-found')
  }),
  vector('dns-empty-string', { records: [['']], verdict: rejected('key-not-found') }),
  vector('dns-record-without-strings', { records: [[]], verdict: rejected('key-not-found') }),
  ...[
    'ESERVFAIL',
    'EREFUSED',
    'EFORMERR',
    'ENOTIMP',
    'EBADRESP',
    'ECONNREFUSED',
    'ECANCELLED',
    'EDESTRUCTION'
  ].map(code =>
    vector(`dns-${code.slice(1).toLowerCase()}`, {
      records: failing(code),
      verdict: unavailable('key-lookup-failed')
    })
  ),
  vector('dns-unknown-code', { records: failing('EWHATEVER'), verdict: unavailable('key-lookup-failed') }),
  vector('dns-thrown-without-code', { records: failing(null), verdict: unavailable('key-lookup-failed') }),
  vector('dns-timeout', { records: failing('ETIMEOUT'), verdict: unavailable('key-lookup-timeout') }),
  vector('dns-long-record', {
    note: 'More than 512 octets: over the wire, the answer is truncated and asked for again over TCP.',
    records: [[...txt(ONE.record)[0]!, `; n=${'x'.repeat(200)}`, 'x'.repeat(255), 'x'.repeat(255)]],
    verdict: VERIFIED
  }),
  vector('dns-not-asked-when-a-local-check-fails', {
    note: 'A failure that can be told without DNS is the only one.',
    records: failing('ETIMEOUT'),
    set: { Date: 'Fri, 20 Nov 2026 11:00:00 GMT' },
    verdict: rejected('date-too-old')
  }),
  vector('dns-outage-is-not-a-forgery', {
    note: 'Even for a signature that would not verify: nobody knows yet.',
    records: failing('ESERVFAIL'),
    signature: () => Buffer.alloc(256, 1),
    verdict: unavailable('key-lookup-failed')
  }),
  vector('dns-name-asked-for-in-lower-case', {
    keyId: KEY_ID.toUpperCase(),
    verdict: VERIFIED
  })
]
