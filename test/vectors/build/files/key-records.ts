import { ONE, TWO } from '../keys.ts'
import { txt, vector } from '../recipe.ts'
import { type Code, rejected, VERIFIED } from '../verdicts.ts'

const SPF = 'v=spf1 include:service.example -all'
const DMARC = 'v=DMARC1; p=none; rua=mailto:dmarc@service.example'
const SITE = 'site-verification=dGhpcyBpcyBub3QgYSBrZXk='
const REVOKED = 'v=DKIM1; p='
const BROKEN = 'v=DKIM1;; p=x'

/** Key records that are good, but not for this signature. */
const OTHERS = [TWO.record, `v=DKIM1; p=${TWO.p}`, `v=DKIM1; p=${TWO.p}; n=third`, `v=DKIM1; p=${TWO.p}; n=fourth`]

const records = (name: string, list: string[], verdict: Code | typeof VERIFIED, note?: string) =>
  vector(name, typeof verdict === 'string' ? rejected(verdict) : verdict, {
    records: txt(...list),
    ...(note !== undefined && { note })
  })

export const source = 'RFC 6376 section 6.1.2'
export const vectors = [
  records('key-records-spf-before', [SPF, ONE.record], VERIFIED),
  records('key-records-spf-after', [ONE.record, SPF], VERIFIED),
  records('key-records-others-around', [DMARC, SITE, ONE.record, SPF, 'hello', ''], VERIFIED),
  records('key-records-spf-alone', [SPF], 'key-not-found'),
  records('key-records-dmarc-alone', [DMARC], 'key-not-found', 'It has a p= tag, but a v= tag that is not of DKIM.'),
  records('key-records-unrelated-alone', [SITE, 'hello', SPF], 'key-not-found'),
  records('key-records-p-without-version-is-one', ['p=', SPF], 'key-revoked'),
  records('key-records-version-in-any-case-is-one', ['v=dkim', SPF], 'key-version-unsupported'),
  records('key-records-two-first-good', [ONE.record, TWO.record], VERIFIED, 'A rotation.'),
  records('key-records-two-second-good', [TWO.record, ONE.record], VERIFIED, 'A rotation.'),
  records('key-records-two-none-good', [TWO.record, OTHERS[1]!], 'signature-mismatch'),
  records('key-records-the-same-twice', [ONE.record, ONE.record], VERIFIED),
  records('key-records-broken-before', [BROKEN, ONE.record], VERIFIED),
  records('key-records-broken-after', [ONE.record, BROKEN], VERIFIED),
  records('key-records-revoked-before', [REVOKED, ONE.record], VERIFIED),
  records('key-records-none-good-first-one-tells', [REVOKED, BROKEN, SPF], 'key-revoked'),
  records('key-records-none-good-first-one-tells-other-order', [SPF, BROKEN, REVOKED], 'key-malformed'),
  records(
    'key-records-broken-and-another-key',
    [BROKEN, TWO.record],
    'signature-mismatch',
    'There is a good key; it is not the one of the signature.'
  ),
  records('key-records-four-last-good', [...OTHERS.slice(0, 3), ONE.record], VERIFIED),
  records(
    'key-records-five-last-good',
    [...OTHERS, ONE.record],
    'signature-mismatch',
    'At most four are tried: each costs an operation with its key.'
  ),
  records('key-records-five-others-do-not-count', [SPF, SITE, DMARC, 'hello', ONE.record], VERIFIED),
  vector('key-records-of-two-types', VERIFIED, {
    source: 'RFC 8463 section 4',
    note: 'Only the record that fits the algorithm counts.',
    records: txt('v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', ONE.record)
  })
]
