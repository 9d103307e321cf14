import { PLACEHOLDER } from '../../core/http/base64-form.ts'
import { expectedFact, fact, inWords } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import { type ConditionalCause, causeOf, type EntriesOf } from './entry.ts'

const OTHER_HEADER: ConditionalCause<'account-missing' | 'account-malformed'> = {
  find: ({ evidence }) => evidence.similar !== undefined,
  cause: ({ shown }) => `the request has ${shown.similar}; is that the service's header?`,
  fix: ({ evidence, setting }) => `If so: ${setting('accountHeader', evidence.similar?.split(':', 1)[0])}.`,
  examples: [{ evidence: { similar: 'X-Acme-ID: account-1234' } }]
}

export const accountEntries = (): EntriesOf<'account'> => ({
  'account-missing': {
    about: 'The header named by `accountHeader` is missing.',
    example: { header: 'x-service-id', expected: 'account-<account id>', similar: 'X-Acme-ID: account-1234' },
    exampleNote: '`similar` is a header of the request that has the form of an account',
    facts: ({ header, expected }) => [...fact('header', header), ...fact('expected', expected)],
    causes: [
      OTHER_HEADER,
      {
        find: ({ isSigned }) => isSigned,
        cause: ({ shown }) => `a proxy removed ${shown.header}, which is signed`,
        fix: 'Have the proxy pass it on unchanged.',
        examples: [{ evidence: { similar: undefined }, isSigned: true }]
      },
      {
        cause: ({ shown }) => `the service sends it in another header than ${shown.header}, or a proxy dropped it`,
        fix: ({ shown: { header }, setting }) =>
          `Set ${setting('accountHeader')} to what the service documents; if that is ${header}, have proxies pass it ` +
          'on.',
        examples: [{ evidence: { similar: undefined } }]
      }
    ]
  },
  'account-repeated': {
    about: 'There is more than one such header.',
    example: { header: 'x-service-id', received: 'account-1234, account-5678' },
    facts: ({ header, received }) => [...fact('header', header), ...fact('received', received)],
    causes: [
      {
        cause: 'a proxy or the sender wrote it twice',
        fix: "Have the sender write it once; if the sender's log has one, have proxies pass every header on unchanged."
      }
    ]
  },
  'account-malformed': {
    about: 'The value is not `accountPrefix` and an id of visible ASCII without a comma.',
    example: { header: 'x-service-id', received: '1234', expected: 'account-<account id>' },
    facts: ({ header, received, expected }) => [
      ...fact('header', header),
      ...fact('received', received),
      ...fact('expected', expected)
    ],
    causes: [
      OTHER_HEADER,
      causeOf({
        find: ({ evidence }) => /^([A-Za-z][\w.]*[-_:])[^\s,]+$/.exec(evidence.received)?.[1],
        cause: ({ found }) => `the service writes another prefix: ${found}`,
        fix: ({ found, setting }) => `If the service documents it: ${setting('accountPrefix', found)}.`,
        examples: [{ evidence: { received: 'account_1234' } }, { evidence: { received: 'environment-1234' } }]
      }),
      {
        find: ({ evidence: { received } }) => /^"[^"]*"$/.test(received),
        cause: 'the sender writes it in quotes',
        fix: 'Have the sender write it without quotes.',
        examples: [{ evidence: { received: '"account-1234"' } }]
      },
      {
        find: ({ evidence: { received } }) => /^[\w.]+$/.test(received),
        cause: 'the sender writes the id without its prefix',
        fix: ({ shown, setting }) =>
          `Have the sender write ${shown.expected.split('<')[0]}${shown.received}; if the service documents ids ` +
          `without a prefix: ${setting('accountPrefix', '')}.`
      },
      {
        cause: 'the service uses another header or prefix',
        fix: ({ setting }) =>
          `Set ${setting('accountHeader')} and ${setting('accountPrefix')} to what the service sends.`,
        examples: [{ evidence: { received: 'account 1234' } }]
      }
    ]
  },
  'account-mismatch': {
    about: 'The id is well-formed, but not one of yours. If a function decides, there is no `expected`.',
    also: '`createAccountClient`, or `npx signed-requests account`, shows your own id.',
    example: { header: 'x-service-id', received: '5678', expected: ['1234'] },
    facts: ({ header, received, ...list }) => [
      ...fact('header', header),
      ...fact('received', received),
      ...expectedFact(list)
    ],
    causes: [
      {
        find: ({ evidence }) => PLACEHOLDER.test(evidence.received),
        cause: ({ shown }) => `the sender did not fill in the id: ${shown.received} is a placeholder`,
        fix: 'Have the sender set that variable to the id of the account before it signs.',
        examples: [{ evidence: { received: '{{accountId}}' } }]
      },
      {
        find: ({ evidence: { received, expected = [] } }) =>
          /^(?:account)?-/i.test(received) && !/^(?:account)?-/i.test(expected.join()),
        cause: ({ shown, setting }) =>
          `a part of the prefix is left in ${shown.received}: is ${setting('accountPrefix')} too short?`,
        fix: ({ setting }) =>
          `Set ${setting('accountPrefix')} to all that the service writes before the id, or leave it out for ` +
          'account-, the default.',
        examples: [{ evidence: { received: '-1234' } }]
      },
      {
        find: ({ evidence }) => evidence.expected !== undefined,
        cause: ({ shown }) =>
          'the request is for another customer of the service, or for an account of yours that is not configured, or ' +
          `${shown.header} was changed: the signature is not checked until the account matches`,
        fix: ({ shown: { header, received, expected }, setting }) =>
          `If ${received} is yours: ${setting('accounts', received)} (now ${expected}). If not, look at what the ` +
          `sender sent: have proxies pass ${header} on unchanged.`
      },
      {
        cause: 'your accounts function returned false',
        fix: ({ shown }) => `If ${shown.received} is yours, have the function return true for it.`,
        examples: [{ evidence: { expected: undefined } }]
      }
    ]
  },
  'account-check-failed': {
    about:
      'Your `accounts` function threw, or returned something other than true or false. `cause` of the failure is the ' +
      'error itself; it is not enumerable.',
    also: 'The error itself is `verdict.failures[0].cause`.',
    example: { error: 'ECONNREFUSED', problem: 'threw' },
    exampleNote: '`problem` may be `threw` (with `error`) or `wrong-type`',
    facts: ({ error }) => fact('error', error),
    causes: [
      {
        find: ({ evidence }) => evidence.problem === 'wrong-type',
        cause: 'your accounts function does not return a boolean',
        fix: 'Return true or false: async id => (await find(id)) !== undefined.',
        examples: [{ evidence: { problem: 'wrong-type' } }]
      },
      {
        find: ({ evidence }) => isOutside(evidence.error),
        cause: ({ evidence }) => `your accounts function threw ${inWords(evidence.error)}`,
        fix: 'Check that the server it asks runs and can be reached from here. The sender can retry.'
      },
      {
        cause: ({ shown }) => `your accounts function threw ${shown.error}`,
        fix: 'Fix that function. The sender can retry.',
        examples: [{ evidence: { error: 'TypeError' } }]
      }
    ]
  }
})
