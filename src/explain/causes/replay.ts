import { fact, inWords } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import { escapeText } from '../text.ts'
import { causeOf, type EntriesOf } from './entry.ts'

/** Returns the name of the store, where it has one. */
const storeName = ({ store = 'the store' }: { store?: string | undefined }): string => store

/**
 * The state of a store that cannot be reached, logged in to or written, by the code of its error, and what to check.
 */
const STATES: readonly (readonly [code: RegExp, state: string, fix: string])[] = [
  [
    /^NOT_CONNECTED$/,
    'is not connected, according to its client',
    'Look for the error event of the client; check that the server runs and that the URL is right.'
  ],
  [/^(?:WRONGPASS|NOAUTH|28)/, 'refuses the login', 'Check the user name and password in its URL.'],
  [
    /^(?:NOPERM|42501|SQLITE_(?:PERM|AUTH))/,
    'does not let this user write',
    'Give the user the rights that the page of the stores lists.'
  ],
  [
    /^(?:READONLY|25006|SQLITE_READONLY)/,
    'does not accept writes',
    'Connect to the primary, not to a replica; a file and its folder must be writable.'
  ],
  [/^(?:LOADING|57P03)$/, 'is still starting', 'Wait until it has started: retries are accepted then.'],
  [
    /^(?:OOM|53200|SQLITE_NOMEM)$/,
    'has no memory left',
    'Give it more memory; it must not evict keys to get some (Redis: noeviction).'
  ],
  [/^(?:53100|MISCONF|SQLITE_FULL)$/, 'cannot write to its disk', 'Free some space on its disk.'],
  [/^53300$/, 'accepts no more connections', 'Close connections, or raise max_connections.'],
  [
    /^42P01$/,
    'has no such table',
    'Create it with the statement that postgresReplayTable() returns, in the schema of this user.'
  ],
  [/^3D000$/, 'has no such database', 'Check the name of the database in its URL.'],
  [/^57P/, 'is shutting down', 'Find out what stops it.'],
  [
    /^(?:CLUSTERDOWN|MASTERDOWN|NOREPLICAS|TRYAGAIN)$/,
    'has too few working servers',
    'Check the state of its cluster and replicas.'
  ],
  [
    /^SQLITE_(?:BUSY|LOCKED)/,
    'is locked by another process',
    'Find the process that holds the lock; do not back it up by copying the file.'
  ],
  [/^SQLITE_(?:NOTADB|CORRUPT)/, 'has a damaged file', 'Put the file aside, and start with a new one.'],
  [
    /./,
    'cannot be reached',
    'Check that it is running, that its URL is right, and that the network lets this machine through.'
  ]
]

const stateOf = (error: string) => STATES.find(([code]) => code.test(error))

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
            'Nothing to fix if the first one was handled. If your handler failed, ' +
            'let it call verify.release(verdict), so that a retry is accepted.',
          flags:
            'Nothing to fix if the first one was handled. If your handler failed, ' + 'a retry needs a fresh signature.'
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
      '`problem` may be `late`, `threw` (with `error`), `wrong-type`, `undecided` (whether an earlier claim holds ' +
      'the id is not known) or `unreachable` (by the code of its error)',
    facts: ({ error, store }) => [...fact('error', error), ...fact('store', store)],
    causes: [
      {
        find: ({ evidence }) => evidence.problem === 'wrong-type',
        cause: ({ shown }) => `claim() of ${storeName(shown)} resolved to neither true nor false`,
        fix: 'Have it resolve to true when the id is new, and to false when it is held.',
        examples: [{ evidence: { problem: 'wrong-type' } }]
      },
      {
        find: ({ evidence }) => evidence.error === 'SQLITE_READONLY_DBMOVED',
        cause: ({ shown }) => `the database of ${storeName(shown)} was deleted or replaced while open`,
        fix: 'Restart this process, and leave the file in place: no other process sees what this one writes now.',
        examples: [{ evidence: { error: 'SQLITE_READONLY_DBMOVED', problem: 'threw', store: 'SQLite' } }]
      },
      causeOf({
        find: ({ evidence: { error, problem } }) => problem === 'unreachable' && stateOf(error),
        cause: ({ found: [, state], evidence: { error, store = 'the replay store' }, place }) => {
          const at = place === undefined || store.includes(place) ? '' : ` ${place}`
          return `${escapeText(store, 100)} ${state} (${escapeText(error, 40)}${at})`
        },
        fix: ({ found: [, , fix] }) => `${fix} The sender can retry.`,
        examples: [
          ...['ECONNREFUSED', 'NOT_CONNECTED', 'WRONGPASS', 'READONLY', 'LOADING', 'OOM', 'NOREPLICAS'].map(error => ({
            evidence: { error, problem: 'unreachable' as const },
            place: '127.0.0.1:6379'
          })),
          ...['53300', '42P01', '3D000', '42501'].map(error => ({
            evidence: { error, problem: 'unreachable' as const, store: 'PostgreSQL' }
          })),
          { evidence: { error: 'SQLITE_BUSY', problem: 'unreachable', store: 'SQLite' } }
        ]
      }),
      {
        find: ({ evidence: { error, problem } }) => problem === 'threw' && !isOutside(error),
        cause: ({ shown }) => `${storeName(shown)} threw ${shown.error}`,
        fix: 'Fix its code: the error and its message are in this report. The sender can retry.',
        examples: [{ evidence: { error: 'TypeError', problem: 'threw' } }]
      },
      {
        cause: ({ evidence }) => `the replay store failed: ${inWords(evidence.error)}`,
        fix: ({ shown }) =>
          `Check that ${storeName(shown)} runs, takes writes, answers in time and can be reached from here; ` +
          'the sender can retry.'
      }
    ]
  }
})
