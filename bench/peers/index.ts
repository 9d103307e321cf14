import type { Contender } from '../rounds.ts'
import type { Sample } from '../sample.ts'
import { activitypub } from './activitypub.ts'
import { digitalbazaar } from './digitalbazaar.ts'
import { httpMessageSignatures } from './http-message-signatures.ts'
import { httpSignature, peertube } from './http-signature.ts'
import { misskey } from './misskey.ts'
import type { Peer } from './peer.ts'

const PEERS: readonly Peer[] = [httpSignature, peertube, misskey, httpMessageSignatures, digitalbazaar, activitypub]

/** Those that are installed and accept the sample request; why the others were skipped. */
export async function readyPeers(sample: Sample): Promise<{ ready: Contender[]; skipped: string[] }> {
  const ready: Contender[] = []
  const skipped: string[] = []
  for (const peer of PEERS) {
    try {
      const verify = await peer.prepare(sample)
      if (!(await verify())) throw new Error(`${peer.name} refuses the sample request`)
      ready.push(contender(peer, verify))
    } catch (error) {
      skipped.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { ready, skipped }
}

const contender = ({ name, leavesOut }: Peer, verify: () => boolean | Promise<boolean>): Contender => ({
  name,
  note: `does not check: ${leavesOut}`,
  async run(times) {
    for (let i = 0; i < times; i++) {
      const verified = verify()
      if (!(typeof verified === 'boolean' ? verified : await verified)) throw new Error(`${name} said no`)
    }
  }
})
