// One use of each entry, where `require` is what finds it.
import requests = require('signed-requests')
import account = require('signed-requests/account')
import replay = require('signed-requests/replay')
import rfc9421 = require('signed-requests/rfc9421')
import testing = require('signed-requests/testing')

const { options, sign } = testing.createTestService()
const client = account.createAccountClient({
  authUrl: 'https://auth.service.example',
  baseUrl: 'https://api.service.example/v4',
  accessToken: 'secret'
})
const replayStore: requests.ReplayStore = replay.memoryReplayStore()
const isOurs = async (id: string) => id === (await client.identity()).accountId
const verify = requests.createVerifier({ ...options, replayStore, accounts: isOurs })

const judge = async (): Promise<requests.Code | number> => {
  const verdict: requests.Verdict = await verify(sign())
  return verdict.status === 'rejected' ? verdict.failures[0].code : requests.httpStatus(verdict)
}

const parse: (value: string) => requests.Result<readonly requests.Digest[]> = rfc9421.parseContentDigest

const build = requests.buildSigningString

export = { build, judge, parse }
