import { expect, test } from 'vitest'
import { createShelf } from '../../../src/recorder/shelf.ts'

const item = (name: string) => ({ name, isSigned: name.startsWith('signed') })
const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name)

test.each([
  [['signed 1', 'other 1', 'signed 2', 'other 2']],
  [['other 1', 'other 2', 'signed 1', 'signed 2']],
  [['other 1']],
  [['signed 1']],
  [[]]
])('a shelf gives the oldest first, signed or not, and lists the newest first: %j', names => {
  const shelf = createShelf<ReturnType<typeof item>>(4)
  for (const name of names) shelf.add(item(name))
  expect(namesOf(shelf.newestFirst())).toEqual([...names].reverse())
  expect(names.map(() => shelf.takeOldest()?.name)).toEqual(names)
  expect(shelf.takeOldest()).toBeUndefined()
})
