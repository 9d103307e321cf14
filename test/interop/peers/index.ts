import { activitypub } from './activitypub.ts'
import { digitalbazaar } from './digitalbazaar.ts'
import { fedify, fedify9421 } from './fedify.ts'
import { httpMessageSig } from './http-message-sig.ts'
import { httpMessageSignatures, httpMessageSignatures9421 } from './http-message-signatures.ts'
import { httpSignature, peertube } from './http-signature.ts'
import { misskey } from './misskey.ts'
import type { Peer } from './peer.ts'
import { httpsig } from './python-httpsig.ts'
import { webBotAuth } from './web-bot-auth.ts'

export const PEERS: readonly Peer[] = [
  httpsig,
  httpSignature,
  peertube,
  activitypub,
  misskey,
  digitalbazaar,
  httpMessageSignatures,
  fedify,
  httpMessageSignatures9421,
  httpMessageSig,
  webBotAuth,
  fedify9421
]
