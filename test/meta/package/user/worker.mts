// Uses every entry in a Worker: its project has @cloudflare/workers-types and no @types/node.
import { assertVerified, createVerifier, fromFetchRequest, httpStatus, logRecord } from 'signed-requests'
import * as account from 'signed-requests/account'
import * as replay from 'signed-requests/replay'
import * as rfc9421 from 'signed-requests/rfc9421'
import * as testing from 'signed-requests/testing'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: replay.memoryReplayStore()
})

export default {
  async fetch(request: Request): Promise<Response> {
    const verdict = await verify(fromFetchRequest(request))
    console.log(logRecord(verdict))
    if (verdict.status !== 'verified') return new Response(null, { status: httpStatus(verdict) })
    assertVerified(verdict)
    // @ts-expect-error the types are there: an account id is text
    verdict.accountId.toFixed()
    return new Response(verdict.accountId)
  }
}

export { account, rfc9421, testing }
