import type { VectorJson } from '../../vector-form.ts'
import { vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const hosted = (name: string, Host: string, verdict: VectorJson['verdict'], note?: string): VectorJson =>
  vector(name, verdict, { set: { Host }, ...(note !== undefined && { note }) })

const mismatch = (name: string, Host: string, note?: string): VectorJson =>
  hosted(name, Host, rejected('host-mismatch'), note)

export const source = 'RFC 9110 section 7.2'
export const vectors = [
  vector('host-missing', rejected('host-missing', 'coverage-absent'), {
    set: { Host: null },
    absentAs: ''
  }),
  vector('host-only-forwarded', rejected('host-missing', 'coverage-absent'), {
    note: 'Anyone can send this header.',
    set: { Host: null },
    add: [['X-Forwarded-Host', 'hooks.example.com']],
    absentAs: 'hooks.example.com'
  }),
  vector('host-repeated', rejected('host-repeated'), {
    source: 'RFC 9112 section 3.2: more than one Host is refused with 400',
    add: [['Host', 'other.example.com']]
  }),
  vector('host-repeated-with-the-same-value', rejected('host-repeated'), {
    source: 'RFC 9112 section 3.2: more than one Host is refused with 400',
    add: [['host', 'hooks.example.com']]
  }),
  mismatch('host-of-another-receiver', 'hooks.other.example', 'Signed by the service, for another customer.'),
  mismatch('host-empty', ''),
  mismatch('host-subdomain', 'a.hooks.example.com'),
  mismatch('host-parent-domain', 'example.com'),
  mismatch('host-longer-name-in-front', 'evilhooks.example.com'),
  mismatch('host-longer-name-behind', 'hooks.example.com.evil.example'),
  mismatch('host-trailing-dot', 'hooks.example.com.', 'Another name in the Host header, if the same in DNS.'),
  mismatch('host-two-in-one', 'hooks.example.com, hooks.example.com'),
  mismatch('host-white-space-inside', 'hooks. example.com'),
  mismatch('host-with-user', 'user@hooks.example.com'),
  mismatch('host-with-scheme', 'https://hooks.example.com'),
  mismatch('host-with-path', 'hooks.example.com/'),
  mismatch('host-percent-encoded', 'hooks%2Eexample.com'),
  hosted('host-upper-case', 'HOOKS.Example.COM', VERIFIED),
  hosted('host-with-default-port', 'hooks.example.com:443', VERIFIED),
  mismatch('host-with-another-port', 'hooks.example.com:8443'),
  vector('host-with-port-80-over-https', rejected('host-mismatch'), {
    set: { Host: 'hooks.example.com:80' },
    options: { requireHttps: true }
  }),
  mismatch('host-with-empty-port', 'hooks.example.com:', 'Allowed by RFC 3986 section 3.2.3, sent by nobody.'),
  mismatch('host-with-zero-before-the-port', 'hooks.example.com:0443'),
  mismatch('host-with-sign-before-the-port', 'hooks.example.com:+443'),
  mismatch('host-with-two-ports', 'hooks.example.com:443:443'),
  mismatch('host-with-space-before-the-port', 'hooks.example.com :443'),
  vector('host-with-port-80-where-http-will-do', VERIFIED, {
    https: false,
    set: { Host: 'hooks.example.com:80' },
    options: { requireHttps: false }
  }),
  vector('host-with-port-443-where-http-will-do', VERIFIED, {
    set: { Host: 'hooks.example.com:443' },
    options: { requireHttps: false }
  }),
  vector('host-with-configured-port', VERIFIED, {
    set: { Host: 'hooks.example.com:8443' },
    options: { hosts: ['hooks.example.com:8443'] }
  }),
  vector('host-without-configured-port', rejected('host-mismatch'), {
    options: { hosts: ['hooks.example.com:8443'] }
  }),
  vector('host-without-configured-default-port', VERIFIED, {
    options: { hosts: ['hooks.example.com:443'] }
  }),
  vector('host-configured-with-port-80-where-http-will-do', VERIFIED, {
    https: false,
    options: { hosts: ['hooks.example.com:80'], requireHttps: false }
  }),
  vector('host-configured-with-port-80-where-https-is-required', rejected('host-mismatch'), {
    note: 'Over HTTPS, 80 is a port like any other.',
    options: { hosts: ['hooks.example.com:80'], requireHttps: true }
  }),
  vector('host-second-of-two', VERIFIED, {
    options: { hosts: ['www.example.com', 'hooks.example.com'] }
  }),
  vector('host-configured-in-upper-case', VERIFIED, { options: { hosts: ['Hooks.Example.Com'] } }),
  vector('host-ipv6-literal', VERIFIED, {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '[2001:db8::1]' },
    options: { hosts: ['[2001:db8::1]'] }
  }),
  vector('host-ipv6-literal-upper-case-and-default-port', VERIFIED, {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '[2001:DB8::1]:443' },
    options: { hosts: ['[2001:db8::1]'] }
  }),
  vector('host-ipv6-literal-another-port', rejected('host-mismatch'), {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '[2001:db8::1]:8443' },
    options: { hosts: ['[2001:db8::1]'] }
  }),
  vector('host-ipv6-literal-in-another-spelling', rejected('host-mismatch'), {
    source: 'RFC 3986 section 3.2.2',
    note: 'Text is compared, as with names; nothing is computed from what a stranger sends.',
    set: { Host: '[2001:db8:0:0:0:0:0:1]' },
    options: { hosts: ['[2001:db8::1]'] }
  }),
  vector('host-ipv6-literal-without-brackets', rejected('host-mismatch'), {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '2001:db8::1' },
    options: { hosts: ['[2001:db8::1]'] }
  }),
  vector('host-changed-on-the-way', rejected('signature-mismatch'), {
    note: 'Both names are ours, but the signature is over the other one: a proxy that rewrites Host does this.',
    received: { set: { Host: 'www.example.com' } },
    options: { hosts: ['www.example.com', 'hooks.example.com'] }
  }),
  vector('host-with-kelvin-sign', rejected('host-mismatch'), {
    note: 'It becomes a "k" in lower case. Only a runtime that decodes header values as something else than octets can hand it on.',
    received: { set: { Host: 'hoo\u212as.example.com' } }
  }),
  vector('host-with-full-width-letters', rejected('host-mismatch'), {
    note: 'Only a runtime that decodes header values as something else than octets can hand these on.',
    received: { set: { Host: '\uff48ooks.example.com' } }
  })
]
