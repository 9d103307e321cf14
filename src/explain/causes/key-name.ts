import { fact } from '../facts.ts'
import type { CausesOf, FactsOf } from './row.ts'

export const keyNameFacts = (): FactsOf<'key-name'> => ({
  'key-name-malformed': ({ received, domain }) => [...fact('received', received), ...fact('domain', domain)],
  'key-name-outside-domain': ({ received, domain }) => [...fact('received', received), ...fact('domain', domain)]
})

export const keyNameCauses = (): CausesOf<'key-name'> => ({
  'key-name-malformed': [
    {
      cause: 'the sender uses another kind of key id, or it is an attack on the resolver',
      fix: 'Nothing to fix here: this receiver verifies keys in DNS only.'
    }
  ],
  'key-name-outside-domain': [
    {
      when: ({ evidence: { received, domain } }) => isItself(received, domain) && domainAbove(domain).includes('.'),
      cause: ({ setting }) =>
        `${setting('serviceDomain')} is the name of the key itself; keys are under it, never at it`,
      fix: ({ shown, setting }) =>
        `Set ${setting('serviceDomain')} to the service's own domain, such as ${domainAbove(shown.domain)}.`
    },
    {
      when: ({ evidence: { received, domain } }) => isItself(received, domain),
      cause: ({ setting }) =>
        `the sender names ${setting('serviceDomain')} itself as its key; keys are under it, never at it`,
      fix: ({ shown }) => `Have the sender use the name of its key in DNS, which is under ${shown.domain}.`
    },
    {
      cause: ({ setting }) => `somebody else's key, or a wrong ${setting('serviceDomain')}`,
      fix: ({ shown, setting }) =>
        `Set ${setting('serviceDomain')} to the domain that the service documents for its keys (it is now ` +
        `${shown.domain}).`
    }
  ]
})

const isItself = (received: string, domain: string): boolean => received.toLowerCase().replace(/\.$/, '') === domain

/** DKIM publishes keys at `<selector>._domainkey.<domain>` (RFC 6376 section 3.6.2.1). */
const domainAbove = (domain: string): string => domain.split('._domainkey.')[1] ?? domain.slice(domain.indexOf('.') + 1)
