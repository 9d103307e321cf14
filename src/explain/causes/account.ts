import { fact, inWords } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import type { CausesOf, ConditionalCause, FactsOf } from './row.ts'

const OTHER_HEADER: ConditionalCause<'account-missing' | 'account-malformed'> = {
  when: ({ evidence }) => evidence.similar !== undefined,
  cause: ({ shown }) => `the request has ${shown.similar}; is that the service's header?`,
  fix: ({ evidence, setting }) => `If so: ${setting('accountHeader', evidence.similar?.split(':', 1)[0])}.`
}

export const accountFacts = (): FactsOf<'account'> => ({
  'account-missing': ({ header, expected }) => [...fact('header', header), ...fact('expected', expected)],
  'account-repeated': ({ header, received }) => [...fact('header', header), ...fact('received', received)],
  'account-malformed': ({ header, received, expected }) => [
    ...fact('header', header),
    ...fact('received', received),
    ...fact('expected', expected)
  ],
  'account-mismatch': ({ header, received, expected }) => [
    ...fact('header', header),
    ...fact('received', received),
    ...fact('expected', expected)
  ],
  'account-check-failed': ({ error }) => fact('error', error)
})

export const accountCauses = (): CausesOf<'account'> => ({
  'account-missing': [
    OTHER_HEADER,
    {
      when: ({ isSigned }) => isSigned,
      cause: ({ shown }) => `a proxy removed ${shown.header}, which is signed`,
      fix: 'Have the proxy pass it on unchanged.'
    },
    {
      cause: ({ shown }) => `the service sends it in another header than ${shown.header}, or a proxy dropped it`,
      fix: ({ shown: { header }, setting }) =>
        `Set ${setting('accountHeader')} to what the service documents; if that is ${header}, have proxies pass it on.`
    }
  ],
  'account-repeated': [
    {
      cause: 'a proxy or the sender wrote it twice',
      fix: 'Have proxies pass every header on unchanged.'
    }
  ],
  'account-malformed': [
    OTHER_HEADER,
    {
      cause: 'the service uses another header or prefix',
      fix: ({ setting }) => `Set ${setting('accountHeader')} and ${setting('accountPrefix')} to what the service sends.`
    }
  ],
  'account-mismatch': [
    {
      when: ({ evidence: { received, expected = [] } }) =>
        /^(?:account)?-/i.test(received) && !/^(?:account)?-/i.test(expected.join()),
      cause: ({ shown, setting }) =>
        `a part of the prefix is left in ${shown.received}: is ${setting('accountPrefix')} too short?`,
      fix: ({ setting }) =>
        `Set ${setting('accountPrefix')} to all that the service writes before the id, or leave it out for account-, ` +
        'the default.'
    },
    {
      when: ({ evidence }) => evidence.expected !== undefined,
      cause: ({ shown }) =>
        'the request is for another customer of the service, or for an account of yours that is not configured, or ' +
        `${shown.header} was changed: the signature is not checked until the account fits`,
      fix: ({ shown: { header, received, expected }, setting }) =>
        `If ${received} is yours: ${setting('accounts', received)} (now ${expected}). If not, look at what the ` +
        `sender sent: have proxies pass ${header} on unchanged.`
    },
    {
      cause: 'your accounts function returned false',
      fix: ({ shown }) => `If ${shown.received} is yours, have the function return true for it.`
    }
  ],
  'account-check-failed': [
    {
      when: ({ evidence }) => evidence.problem === 'wrong-type',
      cause: 'your accounts function does not return a boolean',
      fix: 'Return true or false: async id => (await find(id)) !== undefined.'
    },
    {
      when: ({ evidence }) => isOutside(evidence.error),
      cause: ({ evidence }) => `your accounts function threw ${inWords(evidence.error)}`,
      fix: 'Check that the server it asks runs and can be reached from here; the sender may try again.'
    },
    {
      cause: ({ shown }) => `your accounts function threw ${shown.error}`,
      fix: 'Fix that function; the sender may try again.'
    }
  ]
})
