import { fact } from '../facts.ts'
import { causeOf, type EntriesOf } from './entry.ts'

const nameOfKey = ({ shown }: { readonly shown: { readonly domain: string } }): string =>
  `Have the sender publish the key in DNS, and write its name: keyId="one._domainkey.${shown.domain}".`

export const keyNameEntries = (): EntriesOf<'key-name'> => ({
  'key-name-malformed': {
    about: '`keyId` is not a DNS name of plain ASCII labels.',
    example: { received: '*.service.example', domain: 'service.example' },
    facts: ({ received, domain }) => [...fact('received', received), ...fact('domain', domain)],
    causes: [
      {
        find: ({ evidence }) => /^(?:https?|acct|did):/i.test(evidence.received),
        cause: 'the sender names its key by a URL, as ActivityPub does',
        fix: nameOfKey,
        examples: [{ evidence: { received: 'https://service.example/actor#main-key' } }]
      },
      {
        find: ({ evidence }) => /^(?:MI|-----BEGIN |AAAA|ssh-)[\w+/ -]{30}/.test(evidence.received),
        cause: 'the sender writes the public key itself, where its name in DNS is expected',
        fix: nameOfKey,
        examples: [{ evidence: { received: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA' } }]
      },
      {
        find: ({ evidence }) => /^(?:SHA256|MD5):|^(?:[\da-f]{2}:){7}/i.test(evidence.received),
        cause: 'the sender names its key by a fingerprint',
        fix: nameOfKey,
        examples: [{ evidence: { received: 'SHA256:47DEQpj8HBSa' } }]
      },
      {
        cause: 'the sender uses another kind of key id, or it is an attack on the resolver',
        fix: 'Nothing to fix here: this receiver verifies keys in DNS only.'
      }
    ]
  },
  'key-name-outside-domain': {
    about: '`keyId` is not a subdomain of `serviceDomain`. Anyone can publish a key under their own domain.',
    example: { received: 'key1._domainkey.other.example', domain: 'service.example' },
    facts: ({ received, domain }) => [...fact('received', received), ...fact('domain', domain)],
    causes: [
      causeOf({
        find: ({ evidence: { received, domain } }) => {
          const above = domainAbove(domain)
          return isItself(received, domain) && above.includes('.') && above
        },
        cause: ({ setting }) =>
          `${setting('serviceDomain')} is the name of the key itself; keys are under it, never at it`,
        fix: ({ found, setting }) => `Set ${setting('serviceDomain')} to the service's own domain, such as ${found}.`,
        examples: [{ evidence: { domain: 'key1._domainkey.other.example' } }]
      }),
      {
        find: ({ evidence: { received, domain } }) => isItself(received, domain),
        cause: ({ setting }) =>
          `the sender names ${setting('serviceDomain')} itself as its key; keys are under it, never at it`,
        fix: ({ shown }) => `Have the sender use the name of its key in DNS, which is under ${shown.domain}.`,
        examples: [{ evidence: { received: 'service.example' } }]
      },
      {
        find: ({ evidence: { received } }) => /^[a-z\d-]{1,63}$/i.test(received),
        cause: ({ shown }) => `the sender writes the selector alone: ${shown.received}`,
        fix: ({ shown: { received, domain } }) =>
          `Have the sender write the whole name, such as keyId="${received}._domainkey.${domain}".`,
        examples: [{ evidence: { received: 'key1' } }]
      },
      {
        cause: ({ setting }) => `a key of another domain, or a wrong ${setting('serviceDomain')}`,
        fix: ({ shown, setting }) =>
          `Set ${setting('serviceDomain')} to the domain that the service documents for its keys (it is now ` +
          `${shown.domain}).`
      }
    ]
  }
})

const isItself = (received: string, domain: string): boolean => received.toLowerCase().replace(/\.$/, '') === domain

/** DKIM publishes keys at `<selector>._domainkey.<domain>` (RFC 6376 section 3.6.2.1). */
const domainAbove = (domain: string): string => domain.split('._domainkey.')[1] ?? domain.slice(domain.indexOf('.') + 1)
