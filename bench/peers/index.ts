import type { Contender } from '../rounds.ts'
import type { Sample } from '../sample.ts'
import { activitypub } from './activitypub.ts'
import { digitalbazaar } from './digitalbazaar.ts'
import { httpMessageSignatures } from './http-message-signatures.ts'
import { httpSignature, peertube } from './http-signature.ts'
import { misskey } from './misskey.ts'
import type { Peer } from './peer.ts'

const PEERS: readonly Peer[] = [httpSignature, peertube, misskey, httpMessageSignatures, digitalbazaar, activitypub]

/**
 * Returns the installed peers that accept the sample requests, one after another, and the reasons for skipping the
 * others.
 */
export async function readyPeers(sample: Sample): Promise<{ ready: Contender[]; skipped: string[] }> {
  const ready: Contender[] = []
  const skipped: string[] = []
  for (const peer of PEERS) {
    try {
      const inTurn = await Promise.all(sample.inTurn.map(signed => peer.prepare({ ...sample, ...signed })))
      for (const verify of inTurn) if (!(await verify())) throw new Error(`${peer.name} refuses a sample request`)
      ready.push(contender(peer, inTurn))
    } catch (error) {
      skipped.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { ready, skipped }
}

const contender = ({ name, leavesOut }: Peer, inTurn: (() => boolean | Promise<boolean>)[]): Contender => ({
  name,
  note: `does not check: ${leavesOut}`,
  async run(times) {
    for (let i = 0; i < times; i++) {
      const verified = inTurn[i % inTurn.length]!()
      if (!(typeof verified === 'boolean' ? verified : await verified)) throw new Error(`${name} said no`)
    }
  }
})
