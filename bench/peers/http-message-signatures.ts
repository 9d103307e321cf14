import type { KeyObject } from 'node:crypto'
import { load } from '../load.ts'
import { lowerCaseRecord, type Sample } from '../sample.ts'
import type { Peer } from './peer.ts'

interface HttpMessageSignatures {
  cavage: {
    verifyMessage(config: { keyLookup(): Promise<object> }, message: object): Promise<boolean | null>
  }
  createVerifier(key: KeyObject, algorithm: string): object
}

export const httpMessageSignatures: Peer = {
  name: 'http-message-signatures',
  leavesOut: 'body, Date, account, whose host, whose key, coverage; repeated headers',
  prepare
}

async function prepare({ request, key }: Sample) {
  const { cavage, createVerifier } = await load<HttpMessageSignatures>(httpMessageSignatures.name)
  const verify = createVerifier(key, 'rsa-v1_5-sha256')
  const config = { keyLookup: async () => ({ algs: ['rsa-v1_5-sha256'], verify }) }
  const headers = lowerCaseRecord(request.headers)
  const url = new URL(`https://${headers['host']}${request.target}`)
  const message = { method: request.method, url, headers }
  return async () => (await cavage.verifyMessage(config, message)) === true
}
