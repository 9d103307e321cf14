import { ONE } from '../keys.ts'
import { KEY_ID, txt, vector } from '../recipe.ts'
import { rejected, unavailable, VERIFIED } from '../verdicts.ts'

const failing = (code: string | null) => ({ error: code })

export const source = 'RFC 1035 section 4.1.1 and RFC 2308 section 2, as Node.js reports them'
export const vectors = [
  vector('dns-name-does-not-exist', rejected('key-not-found'), { records: failing('ENOTFOUND') }),
  vector('dns-another-name-exists', rejected('key-not-found'), {
    dns: { 'two._domainkey.service.example': txt(ONE.record), 'service.example': txt(ONE.record) }
  }),
  vector('dns-name-without-txt', rejected('key-not-found'), { records: failing('ENODATA') }),
  vector('dns-no-records', rejected('key-not-found'), {
    note: 'What a dangling CNAME, or an answer with only addresses, resolves to.',
    records: []
  }),
  vector('dns-empty-string', rejected('key-not-found'), { records: [['']] }),
  vector('dns-record-without-strings', rejected('key-not-found'), { records: [[]] }),
  ...'ESERVFAIL EREFUSED EFORMERR ENOTIMP EBADRESP ECONNREFUSED ECANCELLED EDESTRUCTION'.split(' ').map(code =>
    vector(`dns-${code.slice(1).toLowerCase()}`, unavailable('key-lookup-failed'), {
      records: failing(code)
    })
  ),
  vector('dns-unknown-code', unavailable('key-lookup-failed'), { records: failing('EWHATEVER') }),
  vector('dns-thrown-without-code', unavailable('key-lookup-failed'), { records: failing(null) }),
  vector('dns-timeout', unavailable('key-lookup-timeout'), { records: failing('ETIMEOUT') }),
  vector('dns-long-record', VERIFIED, {
    note: 'More than 512 octets: over the wire, the answer is truncated and asked for again over TCP.',
    records: [[...txt(ONE.record)[0]!, `; n=${'x'.repeat(200)}`, 'x'.repeat(255), 'x'.repeat(255)]]
  }),
  vector('dns-not-asked-when-a-local-check-fails', rejected('date-too-old'), {
    note: 'A failure that can be told without DNS is the only one.',
    records: failing('ETIMEOUT'),
    set: { Date: 'Fri, 20 Nov 2026 11:00:00 GMT' }
  }),
  vector('dns-outage-is-not-a-forgery', unavailable('key-lookup-failed'), {
    note: 'Even for a signature that would not verify: nobody knows yet.',
    records: failing('ESERVFAIL'),
    signature: () => Buffer.alloc(256, 1)
  }),
  vector('dns-name-asked-for-in-lower-case', VERIFIED, {
    keyId: KEY_ID.toUpperCase()
  })
]
