import type { VectorJson } from '../../vector-form.ts'
import { ONE } from '../keys.ts'
import { txt, vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const NAME = 'RFC 1035 section 2.3.4, RFC 8552: labels of letters, digits, hyphens and underscores'
const MALFORMED = rejected('key-name-malformed')
const OUTSIDE = rejected('key-name-outside-domain')

/** A request whose key can be found under any of the names that a careless resolver might make of it. */
const named = (name: string, keyId: string, verdict: VectorJson['verdict'], note?: string): VectorJson =>
  vector(name, verdict, {
    source: verdict === MALFORMED ? NAME : source,
    keyId,
    ...(note !== undefined && { note })
  })

const LABEL_63 = 'a'.repeat(63)
/** A name of this many characters under the domain, in labels of at most 63. */
const nameOfLength = (length: number): string => {
  const rest = length - '.service.example'.length
  const labels = `${LABEL_63}.`.repeat(Math.floor(rest / 64))
  return `${labels}${'b'.repeat(rest - labels.length)}.service.example`
}

export const source = "The service's specification: keyId is a subdomain of the service's domain"
export const vectors = [
  named('key-name-right-below-the-domain', 'one.service.example', VERIFIED),
  named('key-name-many-labels', 'a.b.c.d.e.f.service.example', VERIFIED),
  named('key-name-upper-case', 'ONE._DomainKey.Service.EXAMPLE', VERIFIED),
  named('key-name-trailing-dot', 'one._domainkey.service.example.', VERIFIED),
  named('key-name-underscores-and-hyphens', '_a-.-b_.--.service.example', VERIFIED),
  named('key-name-digits', '2026-11.service.example', VERIFIED),
  named('key-name-longest-label', `${LABEL_63}.service.example`, VERIFIED),
  named('key-name-longest-name', nameOfLength(253), VERIFIED),
  named('key-name-longest-name-and-trailing-dot', `${nameOfLength(253)}.`, VERIFIED),
  vector('key-name-domain-configured-in-upper-case', VERIFIED, {
    options: { serviceDomain: 'Service.Example.' }
  }),
  vector('key-name-not-below-a-longer-domain', OUTSIDE, {
    options: { serviceDomain: 'keys.service.example' }
  }),

  named('key-name-the-domain-itself', 'service.example', OUTSIDE),
  named('key-name-the-domain-itself-with-trailing-dot', 'service.example.', OUTSIDE),
  named(
    'key-name-outside-domain',
    'one._domainkey.evil.example',
    OUTSIDE,
    'Everything else is right: whoever owns a domain can publish a key there.'
  ),
  named('key-name-ends-like-the-domain', 'one.evilservice.example', OUTSIDE),
  named('key-name-ends-like-the-domain-after-a-hyphen', 'evil-service.example', OUTSIDE),
  named('key-name-domain-in-front', 'service.example.evil.example', OUTSIDE),
  named('key-name-domain-and-another-label', 'one.service.example.evil', OUTSIDE),
  named('key-name-parent', 'example', OUTSIDE),
  named('key-name-sibling', 'one.other.example', OUTSIDE),
  named('key-name-address', '192.0.2.1', OUTSIDE),

  named('key-name-empty', '', MALFORMED),
  named('key-name-root', '.', MALFORMED, 'Resolvers ask for the root.'),
  named('key-name-domain-after-a-dot', '.service.example', MALFORMED),
  named('key-name-two-dots', 'one..service.example', MALFORMED),
  named('key-name-two-trailing-dots', 'one.service.example..', MALFORMED),
  named('key-name-label-of-64', `${LABEL_63}a.service.example`, MALFORMED),
  named('key-name-of-254', nameOfLength(254), MALFORMED, 'Some resolvers send it.'),
  named('key-name-of-255', nameOfLength(255), MALFORMED, 'Some resolvers send it.'),
  vector('key-name-nul', rejected('request-malformed'), {
    source: 'RFC 9110 section 5.5: a field value with NUL is invalid',
    note: 'Some resolvers cut the name at the NUL. It cannot even stand in a header.',
    keyId: 'one.service.example\0.evil.example',
    dns: { 'one.service.example': txt(ONE.record) }
  }),
  named('key-name-full-width-letters', '\uff4fne.service.example', MALFORMED, 'Some resolvers map them to ASCII.'),
  named('key-name-soft-hyphen', 'o\xadne.service.example', MALFORMED, 'Some resolvers drop it.'),
  named('key-name-ideographic-full-stop', 'one\u3002service.example', MALFORMED, 'Some resolvers map it to a dot.'),
  named('key-name-kelvin-sign', 'one._domain\u212aey.service.example', MALFORMED, 'It becomes a "k" in lower case.'),
  named('key-name-no-break-space', 'one\xa0.service.example', MALFORMED),
  named('key-name-octets-above-ascii', '\xe9.service.example', MALFORMED),
  vector('key-name-backslash', MALFORMED, {
    source: NAME,
    note: 'Some resolvers swallow it. In the header it is escaped by another one.',
    keyId: 'o\\\\ne.service.example',
    dns: { 'one.service.example': txt(ONE.record) }
  }),
  vector('key-name-backslash-dot', MALFORMED, {
    source: NAME,
    note: 'In a zone file this dot does not end the label.',
    keyId: 'evil\\.service.example'
  }),
  named(
    'key-name-punycode',
    'xn--a.service.example',
    MALFORMED,
    'It decodes to nothing; some resolvers ask for the root.'
  ),
  named(
    'key-name-punycode-alone',
    'xn--a.example',
    MALFORMED,
    'It decodes to nothing; some resolvers ask for the root.'
  ),
  named(
    'key-name-punycode-that-decodes',
    'xn--bcher-kva.service.example',
    MALFORMED,
    'Resolvers decode it; no key is published so.'
  ),
  named(
    'key-name-punycode-after-many-labels',
    'xn--a.b.c.d.e.f.g.h.i.j.k.l.service.example',
    MALFORMED,
    'It decodes to nothing; some resolvers ask for the root.'
  ),
  named(
    'key-name-punycode-before-the-domain',
    'a.b.c.d.e.f.g.h.i.j.k.l.xn--a.service.example',
    MALFORMED,
    'It decodes to nothing; some resolvers ask for the root.'
  ),
  vector('key-name-below-a-domain-in-punycode', VERIFIED, {
    source,
    note: 'The receiver has configured that domain: only the labels below it come from the sender.',
    keyId: 'one._domainkey.xn--bcher-kva.example',
    options: { serviceDomain: 'xn--bcher-kva.example' }
  }),
  named('key-name-space', 'one service.example', MALFORMED),
  named('key-name-space-at-the-start', ' one.service.example', MALFORMED),
  named('key-name-space-at-the-end', 'one.service.example ', MALFORMED),
  named('key-name-wildcard', '*.service.example', MALFORMED),
  named('key-name-url', 'https://service.example/keys/one', MALFORMED),
  named('key-name-path', '../one.service.example', MALFORMED),
  named('key-name-fragment', 'evil.example#.service.example', MALFORMED),
  named('key-name-port', 'one.service.example:53', MALFORMED),
  named('key-name-user', 'one@service.example', MALFORMED),
  named('key-name-percent-encoded', 'one%2eservice.example', MALFORMED),
  named('key-name-two-in-one', 'one.service.example,two.service.example', MALFORMED)
]
