import type { VectorJson } from '../../vector-form.ts'
import { vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const hosted = (name: string, Host: string, verdict: VectorJson['verdict'], note?: string): VectorJson =>
  vector(name, { set: { Host }, verdict, ...(note !== undefined && { note }) })

const mismatch = (name: string, Host: string, note?: string): VectorJson =>
  hosted(name, Host, rejected('host-mismatch'), note)

export const source = 'RFC 9110 section 7.2'
export const vectors = [
  vector('host-missing', {
    set: { Host: null },
    absentAs: '',
    verdict: rejected('host-missing', 'coverage-absent')
  }),
  vector('host-only-forwarded', {
    note: 'Anyone can send this header.',
    set: { Host: null },
    add: [['X-Forwarded-Host', 'hooks.example.com']],
    absentAs: 'hooks.example.com',
    verdict: rejected('host-missing', 'coverage-absent')
  }),
  vector('host-repeated', {
    source: 'RFC 9112 section 3.2: more than one Host is refused with 400',
    add: [['Host', 'other.example.com']],
    verdict: rejected('host-repeated')
  }),
  vector('host-repeated-with-the-same-value', {
    source: 'RFC 9112 section 3.2: more than one Host is refused with 400',
    add: [['host', 'hooks.example.com']],
    verdict: rejected('host-repeated')
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
  mismatch('host-with-port-80-over-https', 'hooks.example.com:80'),
  mismatch(
    'host-with-empty-port',
    'hooks.example.com:',
    'Allowed by RFC 3986 section 3.2.3, sent by nobody.'
  ),
  mismatch('host-with-zero-before-the-port', 'hooks.example.com:0443'),
  mismatch('host-with-sign-before-the-port', 'hooks.example.com:+443'),
  mismatch('host-with-two-ports', 'hooks.example.com:443:443'),
  mismatch('host-with-space-before-the-port', 'hooks.example.com :443'),
  vector('host-with-port-80-where-http-will-do', {
    https: false,
    set: { Host: 'hooks.example.com:80' },
    options: { requireHttps: false },
    verdict: VERIFIED
  }),
  vector('host-with-port-443-where-http-will-do', {
    set: { Host: 'hooks.example.com:443' },
    options: { requireHttps: false },
    verdict: VERIFIED
  }),
  vector('host-with-configured-port', {
    set: { Host: 'hooks.example.com:8443' },
    options: { hosts: ['hooks.example.com:8443'] },
    verdict: VERIFIED
  }),
  vector('host-without-configured-port', {
    options: { hosts: ['hooks.example.com:8443'] },
    verdict: rejected('host-mismatch')
  }),
  vector('host-without-configured-default-port', {
    options: { hosts: ['hooks.example.com:443'] },
    verdict: VERIFIED
  }),
  vector('host-configured-with-port-80-where-http-will-do', {
    https: false,
    options: { hosts: ['hooks.example.com:80'], requireHttps: false },
    verdict: VERIFIED
  }),
  vector('host-configured-with-port-80-where-https-is-required', {
    note: 'Over HTTPS, 80 is a port like any other.',
    options: { hosts: ['hooks.example.com:80'] },
    verdict: rejected('host-mismatch')
  }),
  vector('host-second-of-two', {
    options: { hosts: ['www.example.com', 'hooks.example.com'] },
    verdict: VERIFIED
  }),
  vector('host-configured-in-upper-case', { options: { hosts: ['Hooks.Example.Com'] }, verdict: VERIFIED }),
  vector('host-ipv6-literal', {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '[2001:db8::1]' },
    options: { hosts: ['[2001:db8::1]'] },
    verdict: VERIFIED
  }),
  vector('host-ipv6-literal-upper-case-and-default-port', {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '[2001:DB8::1]:443' },
    options: { hosts: ['[2001:db8::1]'] },
    verdict: VERIFIED
  }),
  vector('host-ipv6-literal-another-port', {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '[2001:db8::1]:8443' },
    options: { hosts: ['[2001:db8::1]'] },
    verdict: rejected('host-mismatch')
  }),
  vector('host-ipv6-literal-in-another-spelling', {
    source: 'RFC 3986 section 3.2.2',
    note: 'Text is compared, as with names; nothing is computed from what a stranger sends.',
    set: { Host: '[2001:db8:0:0:0:0:0:1]' },
    options: { hosts: ['[2001:db8::1]'] },
    verdict: rejected('host-mismatch')
  }),
  vector('host-ipv6-literal-without-brackets', {
    source: 'RFC 3986 section 3.2.2',
    set: { Host: '2001:db8::1' },
    options: { hosts: ['[2001:db8::1]'] },
    verdict: rejected('host-mismatch')
  }),
  vector('host-changed-on-the-way', {
    note: 'Both names are ours, but the signature is over the other one: a proxy that rewrites Host does this.',
    received: { set: { Host: 'www.example.com' } },
    options: { hosts: ['www.example.com', 'hooks.example.com'] },
    verdict: rejected('signature-mismatch')
  }),
  vector('host-with-kelvin-sign', {
    note: 'It becomes a "k" in lower case. Only a runtime that decodes header values as something else than octets can hand it on.',
    received: { set: { Host: 'hoo\u212as.example.com' } },
    verdict: rejected('host-mismatch')
  }),
  vector('host-with-full-width-letters', {
    note: 'Only a runtime that decodes header values as something else than octets can hand these on.',
    received: { set: { Host: '\uff48ooks.example.com' } },
    verdict: rejected('host-mismatch')
  })
]
