import { vector } from '../recipe.ts'
import { rejected, unavailable, VERIFIED } from '../verdicts.ts'

export const source = 'RFC 9421 section 7.2.2: signature replay; fixtures/README.md: a signature is accepted once'
export const vectors = [
  vector('replay-first-time', VERIFIED, { replayStore: 'empty' }),
  vector('replayed', rejected('replayed'), { replayStore: 'claimed' }),
  vector('replay-store-failed', unavailable('replay-store-failed'), {
    note: 'Nobody knows whether it was seen: the sender is asked to try again.',
    replayStore: 'error'
  }),
  vector('replay-not-claimed-before-the-body-is-right', rejected('digest-mismatch'), {
    note: 'Otherwise a stranger could use up the id of a request that is still on its way.',
    replayStore: 'error',
    received: { body: '{"event":"deleted"}' }
  }),
  vector('replay-not-claimed-before-the-signature-is-right', rejected('signature-mismatch'), {
    replayStore: 'claimed',
    received: { target: '/other' }
  })
]
