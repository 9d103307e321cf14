import { expect, test } from 'vitest'
import { keepAnswers } from '../src/dns-answers.ts'

const options = { signal: new AbortController().signal }

test('keeps records by name, and passes failures on', async () => {
  const answers = new Map<string, string[][]>()
  const failure = Object.assign(new Error(), { code: 'ESERVFAIL' })
  const lookup = keepAnswers(async name => {
    if (name === 'bad') throw failure
    return [[name]]
  }, answers)
  expect(await lookup('good', options)).toEqual([['good']])
  await expect(lookup('bad', options)).rejects.toBe(failure)
  expect([...answers]).toEqual([['good', [['good']]]])
})

test('keeps the last hundred names', async () => {
  const answers = new Map<string, string[][]>()
  const lookup = keepAnswers(async name => [[name]], answers)
  for (let n = 0; n < 150; n++) await lookup(`${n}`, options)
  await lookup('60', options)
  await lookup('new', options)
  expect(answers.size).toBe(100)
  expect([...answers.keys()].slice(-3)).toEqual(['149', '60', 'new'])
  expect(answers.has('50')).toBe(false)
})

test('says whom it asks', () => {
  const servers = () => ['127.0.0.1:5353']
  const lookup = keepAnswers(
    Object.assign(async () => [], { servers }),
    new Map()
  )
  expect(lookup.servers?.()).toEqual(['127.0.0.1:5353'])
})
