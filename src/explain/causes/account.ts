import { inWords } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import type { Causes, ConditionalCause } from './row.ts'

const OTHER_HEADER: ConditionalCause<'account-missing' | 'account-malformed'> = {
  when: ({ similar }) => similar !== undefined,
  cause: ({ similar }, { setting }) =>
    `${setting('accountHeader')} is not the header that the service uses: ${similar} is there: is that it?`,
  fix: (_, { setting }, { evidence }) => `If so: ${setting('accountHeader', evidence.similar?.split(':', 1)[0])}.`
}

export const accountCauses = (): {
  readonly [C in
    | 'account-missing'
    | 'account-repeated'
    | 'account-malformed'
    | 'account-mismatch'
    | 'account-check-failed']: Causes<C>
} => ({
  'account-missing': [
    OTHER_HEADER,
    {
      when: (_, { isSigned }) => isSigned,
      cause: ({ header }) => `a proxy removed ${header}, which is signed`,
      fix: 'Have the proxy pass it on unchanged.'
    },
    {
      cause: ({ header }) => `the service sends it in another header than ${header}, or a proxy dropped it`,
      fix: ({ header }, { setting }) =>
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
      fix: (_, { setting }) =>
        `Set ${setting('accountHeader')} and ${setting('accountPrefix')} to what the service sends.`
    }
  ],
  'account-mismatch': [
    {
      when: ({ received, expected = [] }) =>
        /^(?:account)?-/i.test(received) && !/^(?:account)?-/i.test(expected.join()),
      cause: ({ received }, { setting }) =>
        `a part of the prefix is left in ${received}: is ${setting('accountPrefix')} too short?`,
      fix: (_, { setting }) =>
        `Set ${setting('accountPrefix')} to all that the service writes before the id, or leave it out for account-, ` +
        'the default.'
    },
    {
      when: ({ expected }) => expected !== undefined,
      cause: ({ header }) =>
        'the request is for another customer of the service, or for an account of yours that is not configured, or ' +
        `${header} was changed: the signature is not checked until the account fits`,
      fix: ({ header, received, expected }, { setting }) =>
        `If ${received} is yours: ${setting('accounts', received)} (now ${expected}). If not, look at what the ` +
        `sender sent: have proxies pass ${header} on unchanged.`
    },
    {
      cause: 'your accounts function returned false',
      fix: ({ received }) => `If ${received} is yours, have the function return true for it.`
    }
  ],
  'account-check-failed': [
    {
      when: ({ problem }) => problem === 'wrong-type',
      cause: 'your accounts function does not return a boolean',
      fix: 'Return true or false: async id => (await find(id)) !== undefined.'
    },
    {
      when: ({ error }) => isOutside(error),
      cause: (_, __, { evidence }) => `your accounts function threw ${inWords(evidence.error)}`,
      fix: 'Check that what it asks runs and is reached from here; the sender may try again.'
    },
    {
      cause: ({ error }) => `your accounts function threw ${error}`,
      fix: 'Fix that function; the sender may try again.'
    }
  ]
})
