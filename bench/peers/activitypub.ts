import type { KeyObject } from 'node:crypto'
import { load } from '../load.ts'
import type { Sample } from '../sample.ts'
import type { Peer } from './peer.ts'

interface ActivityPub {
  default: { parse(request: object): { verify(key: KeyObject): boolean } | null }
}

export const activitypub: Peer = {
  name: 'activitypub-http-signatures',
  leavesOut: 'body, Date, account, whose host, whose key, coverage; repeated headers and parameters',
  prepare
}

/** The package looks headers up under the names of the covered list, so each header is given under that name too. */
async function prepare({ request, key }: Sample) {
  const parser = (await load<ActivityPub>(activitypub.name)).default
  const { method, target, headers } = request
  const signature = headers.find(([name]) => name === 'Signature')![1]
  const covered = /headers="([^"]*)"/.exec(signature)![1]!.split(' ')
  const record: Record<string, string> = { signature }
  for (const spelling of covered) {
    const line = headers.find(([name]) => name.toLowerCase() === spelling.toLowerCase())
    if (line !== undefined) record[spelling] = line[1]
  }
  const message = { method, url: target, headers: record }
  return () => parser.parse(message)?.verify(key) === true
}
