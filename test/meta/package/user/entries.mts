// Uses each entry once, as a user's project does.
import { createServer } from 'node:http'
import {
  createVerifier,
  fromFetchRequest,
  fromNodeRequest,
  httpStatus,
  parseSignatureHeader,
  type Verdict
} from 'signed-requests'
import { createAccountClient } from 'signed-requests/account'
import { memoryReplayStore, type ReplayStore, redisReplayStore } from 'signed-requests/replay'
import { parseContentDigest } from 'signed-requests/rfc9421'
import { createTestService } from 'signed-requests/testing'

const service = createTestService()
const replayStore: ReplayStore = memoryReplayStore({ maxEntries: 1000 })
const verify = createVerifier({ ...service.options, replayStore, accounts: async id => id === '1234' })

export const judge = async (request: Request): Promise<number> => httpStatus(await verify(fromFetchRequest(request)))

export const server = createServer({}, async (req, res) => {
  const verdict: Verdict = await verify(fromNodeRequest(req, { https: true }))
  if (verdict.status === 'verified') res.end(Buffer.from(verdict.body))
  else res.end(verdict.failures.map(({ code }) => code).join())
})

export const shared = (client: Parameters<typeof redisReplayStore>[0]) => redisReplayStore(client, { prefix: 'seen:' })

export const account = createAccountClient({
  authUrl: 'https://auth.service.example',
  baseUrl: 'https://api.service.example/v4',
  accessToken: 'secret'
})

const digests = parseContentDigest('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:')
export const algorithms: string[] = digests.ok ? digests.value.map(({ algorithm }) => algorithm) : [digests.message]

export const signature = parseSignatureHeader('keyId="a"')
