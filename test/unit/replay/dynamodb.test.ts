import { describe, expect, it } from 'vitest'
import { dynamoReplayStore } from '../../../examples/stores/dynamodb.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'

type Attributes = Record<string, { S: string } | { N: string }>
interface Input {
  TableName: string
  Item?: Attributes
  Key?: Attributes
  ConditionExpression: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues: Attributes
}

/**
 * A table as DynamoDB keeps it: a condition is judged and the write done in one step, some time after the call; `lost`
 * makes the SDK repeat a call that was done, because its answer was lost.
 */
function dynamoDb() {
  const items = new Map<string, Attributes>()
  const state = { lost: 0, isDown: false, items }

  const isMet = (item: Attributes | undefined, input: Input): boolean =>
    input.ConditionExpression.split(' OR ').some(term => {
      const absent = /^attribute_not_exists\((\w+)\)$/.exec(term)
      if (absent) return item?.[absent[1]!] === undefined
      const [left, operator, right] = term.split(' ') as [string, string, string]
      const name = left.startsWith('#') ? input.ExpressionAttributeNames![left]! : left
      const [one, other] = [item?.[name], input.ExpressionAttributeValues[right]!]
      if (one === undefined) return false
      if ('N' in one && 'N' in other && operator === '<=') return Number(one.N) <= Number(other.N)
      if ('S' in one && 'S' in other && operator === '=') return one.S === other.S
      throw new Error(`ValidationException: ${term}`)
    })
  const call = async (input: Input, write: (key: string) => void): Promise<void> => {
    await new Promise(resolve => setTimeout(resolve, Math.random() * 3))
    if (state.isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' })
    const key = (input.Item ?? input.Key)!['id'] as { S: string }
    if (!isMet(items.get(key.S), input)) {
      throw Object.assign(new Error('The conditional request failed'), {
        name: 'ConditionalCheckFailedException'
      })
    }
    write(key.S)
    if (state.lost-- > 0) return call(input, write)
  }
  const client = {
    putItem: (input: object) => call(input as Input, key => items.set(key, (input as Input).Item!)),
    deleteItem: (input: object) => call(input as Input, key => items.delete(key))
  }
  return { client, state }
}

describe('the recipe for DynamoDB', () => {
  const { client } = dynamoDb()
  const down = dynamoDb()
  down.state.isDown = true
  const cases = replayStoreContract(() => dynamoReplayStore(client, 'replay'), {
    makeUnreachable: () => dynamoReplayStore(down.client, 'replay')
  })
  for (const { name, run } of cases) it(name, run)

  it('grants a claim that the SDK repeats because the answer was lost', async () => {
    const { client, state } = dynamoDb()
    const store = dynamoReplayStore(client, 'replay')
    state.lost = 1
    expect(await store.claim('a', 60)).toBe(true)
    state.lost = 0
    expect(await store.claim('a', 60)).toBe(false)
  })

  it('writes when the table may remove an item, in whole seconds, not before it expires', async () => {
    const { client, state } = dynamoDb()
    await dynamoReplayStore(client, 'replay').claim('a', 0.5)
    const { expiresAt, removeAt } = state.items.get('a') as Record<string, { N: string }>
    expect(Number(removeAt!.N) * 1000).toBeGreaterThanOrEqual(Number(expiresAt!.N))
    expect(removeAt!.N).toMatch(/^\d{10}$/)
  })
})
