import { fact, inWords } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import type { CausesOf, FactsOf } from './row.ts'

/** Returns the name of the store, where it has one. */
const nameOf = ({ store = 'the store' }: { store?: string | undefined }): string => store

export const replayFacts = (): FactsOf<'replay'> => ({
  replayed: ({ replayId }) => fact('replayId', replayId),
  'replay-store-failed': ({ error, store }) => [...fact('error', error), ...fact('store', store)]
})

export const replayCauses = (): CausesOf<'replay'> => ({
  replayed: [
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
  ],
  'replay-store-failed': [
    {
      when: ({ evidence }) => evidence.problem === 'wrong-type',
      cause: ({ shown }) => `claim() of ${nameOf(shown)} resolved to neither true nor false`,
      fix: 'Have it resolve to true when the id is new, and to false when it is held.'
    },
    {
      when: ({ evidence: { error, problem } }) => problem === 'threw' && error === 'SQLITE_READONLY_DBMOVED',
      cause: ({ shown }) => `the database of ${nameOf(shown)} was deleted or replaced while open`,
      fix: 'Start this process again, and leave the file in place: no other process finds what is written now.'
    },
    {
      when: ({ evidence: { error, problem } }) => problem === 'threw' && !isOutside(error),
      cause: ({ shown }) => `the code of ${nameOf(shown)} threw ${shown.error}`,
      fix: 'Fix that code: its error and message are in this report; the sender may try again.'
    },
    {
      cause: ({ evidence }) => `the replay store failed: ${inWords(evidence.error)}`,
      fix: ({ shown }) =>
        `Check that ${nameOf(shown)} runs, takes writes, answers in time and can be reached from here; ` +
        'the sender may try again.'
    }
  ]
})
