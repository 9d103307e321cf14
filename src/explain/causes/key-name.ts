import type { Causes } from './row.ts'

export const keyNameCauses = (): {
  readonly [C in 'key-name-malformed' | 'key-name-outside-domain']: Causes<C>
} => ({
  'key-name-malformed': [
    {
      cause: 'the sender uses another kind of key id, or it is an attack on the resolver',
      fix: 'Nothing to fix here: this receiver verifies keys in DNS only.'
    }
  ],
  'key-name-outside-domain': [
    {
      when: ({ received, domain }) => isItself(received, domain) && domainAbove(domain).includes('.'),
      cause: (_, { setting }) =>
        `${setting('serviceDomain')} is the name of the key itself; keys are under it, never at it`,
      fix: ({ domain }, { setting }) =>
        `Set ${setting('serviceDomain')} to the service's own domain, such as ${domainAbove(domain)}.`
    },
    {
      when: ({ received, domain }) => isItself(received, domain),
      cause: (_, { setting }) =>
        `the sender names ${setting('serviceDomain')} itself as its key; keys are under it, never at it`,
      fix: ({ domain }) => `Have the sender use the name of its key in DNS, which is under ${domain}.`
    },
    {
      cause: (_, { setting }) => `somebody else's key, or a wrong ${setting('serviceDomain')}`,
      fix: ({ domain }, { setting }) =>
        `Set ${setting('serviceDomain')} to the domain that the service documents for its keys (it is now ${domain}).`
    }
  ]
})

const isItself = (received: string, domain: string): boolean => received.toLowerCase().replace(/\.$/, '') === domain

/** DKIM publishes keys at `<selector>._domainkey.<domain>` (RFC 6376 section 3.6.2.1). */
const domainAbove = (domain: string): string => domain.split('._domainkey.')[1] ?? domain.slice(domain.indexOf('.') + 1)
