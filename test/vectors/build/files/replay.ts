import { vector } from '../recipe.ts'
import { rejected, unavailable, VERIFIED } from '../verdicts.ts'

export const source =
  'RFC 9421 section 7.2.2: signature replay; fixtures/README.md: a signature is accepted once'
export const vectors = [
  vector('replay-first-time', { replayStore: 'empty', verdict: VERIFIED }),
  vector('replayed', { replayStore: 'claimed', verdict: rejected('replayed') }),
  vector('replay-store-failed', {
    note: 'Nobody knows whether it was seen: the sender is asked to try again.',
    replayStore: 'error',
    verdict: unavailable('replay-store-failed')
  }),
  vector('replay-not-claimed-before-the-body-is-right', {
    note: 'Otherwise a stranger could use up the id of a request that is still on its way.',
    replayStore: 'error',
    received: { body: '{"event":"deleted"}' },
    verdict: rejected('digest-mismatch')
  }),
  vector('replay-not-claimed-before-the-signature-is-right', {
    replayStore: 'claimed',
    received: { target: '/other' },
    verdict: rejected('signature-mismatch')
  })
]
