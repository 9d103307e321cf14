import { expect, test } from 'vitest'
import { dynamoReplayStore } from '../../../examples/stores/dynamodb.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'

type Attributes = Record<string, { S?: string; N?: string; BOOL?: boolean }>
interface Input {
  TableName: string
  Item: Attributes
  ConditionExpression: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues: Attributes
}

/**
 * Simulates a DynamoDB table: a condition is judged and the write done in one step, some time after the call; `lost`
 * makes the SDK repeat a call that was done, because its answer was lost.
 */
function dynamoDb() {
  const items = new Map<string, Attributes>()
  const state = { lost: 0, isDown: false, items }

  const isMet = (item: Attributes | undefined, input: Input): boolean => {
    const { ConditionExpression: condition, ExpressionAttributeValues: values } = input
    for (const name of Object.keys(values))
      if (!condition.includes(name)) throw new Error(`ValidationException: ${name} is not used`)
    const holds = (term: string): boolean => {
      const absent = /^attribute_not_exists\((\w+)\)$/.exec(term)
      if (absent) return item?.[absent[1]!] === undefined
      const [left, operator, right] = term.split(' ') as [string, string, string]
      const name = left.startsWith('#') ? input.ExpressionAttributeNames![left]! : left
      const [one, other] = [item?.[name], values[right]!]
      if (one === undefined) return false
      if (operator === '<=') return Number(one.N) <= Number(other.N)
      const isSame = one.S === other.S && one.BOOL === other.BOOL
      return operator === '<>' ? !isSame : isSame
    }
    return condition.split(' OR ').some(terms =>
      terms
        .replace(/^\((.*)\)$/, '$1')
        .split(' AND ')
        .every(holds)
    )
  }
  const call = async (input: Input): Promise<void> => {
    await new Promise(resolve => setTimeout(resolve, Math.random() * 3))
    if (state.isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' })
    const id = input.Item['id']!.S!
    if (!isMet(items.get(id), input)) {
      throw Object.assign(new Error('The conditional request failed'), { name: 'ConditionalCheckFailedException' })
    }
    items.set(id, input.Item)
    if (state.lost-- > 0) return call(input)
  }
  const client = { putItem: (input: object) => call(input as Input) }
  return { client, state }
}

const { client } = dynamoDb()
const down = dynamoDb()
down.state.isDown = true
const cases = replayStoreContract(() => dynamoReplayStore(client, 'replay'), {
  makeUnreachable: () => dynamoReplayStore(down.client, 'replay')
})
for (const { name, run } of cases) test(name, run)

test('grants a claim that the SDK repeats because the answer was lost', async () => {
  const { client, state } = dynamoDb()
  const store = dynamoReplayStore(client, 'replay')
  state.lost = 1
  expect(await store.claim('a', 'token', 60)).toBe(true)
  state.lost = 0
  expect(await store.claim('a', 'another', 60)).toBe(false)
})

test('writes when the table may remove an item, in whole seconds, not before it expires', async () => {
  const { client, state } = dynamoDb()
  await dynamoReplayStore(client, 'replay').claim('a', 'token', 0.5)
  const { expiresAt, removeAt } = state.items.get('a') as Record<string, { N: string }>
  expect(Number(removeAt!.N) * 1000).toBeGreaterThanOrEqual(Number(expiresAt!.N))
  expect(removeAt!.N).toMatch(/^\d{10}$/)
})
