import { fact, inWords } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import type { EntriesOf } from './entry.ts'

/** Returns the name of the store, where it has one. */
const nameOf = ({ store = 'the store' }: { store?: string | undefined }): string => store

export const replayEntries = (): EntriesOf<'replay'> => ({
  replayed: {
    about: 'This signature was accepted before.',
    example: { replayId: 'dGhlIGhhc2ggb2YgYSBzaWduYXR1cmU...' },
    facts: ({ replayId }) => fact('replayId', replayId),
    causes: [
      {
        cause: 'the same request arrived again: a retry of the sender (was the response late?), or an attack',
        fix: {
          options:
            'Nothing to fix if the first one was handled: this is what a replay store is for. If handling it failed, ' +
            'have your handler call verify.release(verdict), so that a retry is accepted.',
          flags:
            'Nothing to fix if the first one was handled: this is what a replay store is for. If handling it failed, ' +
            'a retry needs a fresh signature.'
        }
      }
    ]
  },
  'replay-store-failed': {
    about:
      'The store threw (then `cause` is the error), was late, or returned something other than true or false; or an ' +
      'earlier claim of the same request is undecided: its release has not arrived yet, or the id is held and the ' +
      'store failed in the last ten seconds.',
    also: 'The request was not accepted. The error itself is `verdict.failures[0].cause`.',
    example: { error: 'no answer within 1000 ms', problem: 'late', store: 'Redis' },
    exampleNote:
      '`problem` may be `late`, `threw` (with `error`), `wrong-type` or `undecided`: whether an earlier claim holds the ' +
      'id is not known',
    facts: ({ error, store }) => [...fact('error', error), ...fact('store', store)],
    causes: [
      {
        find: ({ evidence }) => evidence.problem === 'wrong-type',
        cause: ({ shown }) => `claim() of ${nameOf(shown)} resolved to neither true nor false`,
        fix: 'Have it resolve to true when the id is new, and to false when it is held.',
        examples: [{ evidence: { problem: 'wrong-type' } }]
      },
      {
        find: ({ evidence: { error, problem } }) => problem === 'threw' && error === 'SQLITE_READONLY_DBMOVED',
        cause: ({ shown }) => `the database of ${nameOf(shown)} was deleted or replaced while open`,
        fix: 'Start this process again, and leave the file in place: no other process finds what is written now.',
        examples: [{ evidence: { error: 'SQLITE_READONLY_DBMOVED', problem: 'threw', store: 'SQLite' } }]
      },
      {
        find: ({ evidence: { error, problem } }) => problem === 'threw' && !isOutside(error),
        cause: ({ shown }) => `the code of ${nameOf(shown)} threw ${shown.error}`,
        fix: 'Fix that code: its error and message are in this report; the sender may try again.',
        examples: [{ evidence: { error: 'TypeError', problem: 'threw' } }]
      },
      {
        cause: ({ evidence }) => `the replay store failed: ${inWords(evidence.error)}`,
        fix: ({ shown }) =>
          `Check that ${nameOf(shown)} runs, takes writes, answers in time and can be reached from here; ` +
          'the sender may try again.'
      }
    ]
  }
})
