// A table with the partition key `id` (string), and `removeAt` as its TTL attribute.
import type { ReplayStore } from 'signed-requests/replay'

/** Types the used part of `new DynamoDB({})` of @aws-sdk/client-dynamodb. */
interface Client {
  putItem(input: object): Promise<unknown>
}

// What a call may overwrite: a claim its own item, or one that another token released.
// `token` is a reserved word.
const FREE = 'attribute_not_exists(id) OR expiresAt <= :now'
const OWN = '(released = :no AND #token = :token)'
const RELEASED_BY_OTHER = '(released = :yes AND #token <> :token)'
const CLAIM = `${FREE} OR ${OWN} OR ${RELEASED_BY_OTHER}`
const RELEASE = `${FREE} OR released = :yes OR #token = :token`

export function dynamoReplayStore(client: Client, TableName: string): ReplayStore {
  /** Writes an item if the condition holds, atomically. Returns whether it did. */
  async function put(
    condition: string,
    id: string,
    token: string,
    ttlSeconds: number,
    released: boolean
  ): Promise<boolean> {
    const now = Date.now()
    const expiresAt = Math.ceil(now + ttlSeconds * 1000)
    const values = {
      ':now': { N: `${now}` },
      ':token': { S: token },
      ':yes': { BOOL: true }
    }
    try {
      await client.putItem({
        TableName,
        Item: {
          id: { S: id },
          token: { S: token },
          released: { BOOL: released },
          expiresAt: { N: `${expiresAt}` },
          removeAt: { N: `${Math.ceil(expiresAt / 1000)}` }
        },
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#token': 'token' },
        ExpressionAttributeValues: released
          ? values
          : { ...values, ':no': { BOOL: false } }
      })
      return true
    } catch (error) {
      if ((error as Error).name === 'ConditionalCheckFailedException') return false
      throw error
    }
  }

  return {
    claim: (id, token, ttlSeconds) => put(CLAIM, id, token, ttlSeconds, false),
    release: async (id, token, ttlSeconds) =>
      void (await put(RELEASE, id, token, ttlSeconds, true))
  }
}
