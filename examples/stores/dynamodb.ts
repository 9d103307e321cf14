// A table with the partition key `id` (string), and `removeAt` as its TTL attribute.
import { randomUUID } from 'node:crypto'
import type { ReplayStore } from 'signed-requests/replay'

/** What is used of `new DynamoDB({})` of @aws-sdk/client-dynamodb. */
interface Client {
  putItem(input: object): Promise<unknown>
  deleteItem(input: object): Promise<unknown>
}

export function dynamoReplayStore(client: Client, TableName: string): ReplayStore {
  const owner = randomUUID() // a release deletes only what this object has claimed

  return {
    async claim(id, ttlSeconds) {
      const now = Date.now()
      const expiresAt = Math.ceil(now + ttlSeconds * 1000)
      const claim = randomUUID() // the SDK repeats a call whose answer was lost: the same claim holds the id already
      return isMet(
        client.putItem({
          TableName,
          Item: {
            id: { S: id },
            owner: { S: owner },
            claim: { S: claim },
            expiresAt: { N: `${expiresAt}` },
            removeAt: { N: `${Math.ceil(expiresAt / 1000)}` }
          },
          ConditionExpression: 'attribute_not_exists(id) OR expiresAt <= :now OR claim = :claim',
          ExpressionAttributeValues: { ':now': { N: `${now}` }, ':claim': { S: claim } }
        })
      )
    },
    async release(id) {
      await isMet(
        client.deleteItem({
          TableName,
          Key: { id: { S: id } },
          ConditionExpression: '#owner = :owner',
          ExpressionAttributeNames: { '#owner': 'owner' },
          ExpressionAttributeValues: { ':owner': { S: owner } }
        })
      )
    }
  }
}

/** False when the condition was not met; any other failure rejects: then nothing is known. */
async function isMet(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if ((error as Error).name === 'ConditionalCheckFailedException') return false
    throw error
  }
}
