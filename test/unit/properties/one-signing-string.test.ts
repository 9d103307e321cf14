import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSigningString, createVerifier, type HeaderLine, type ReceivedRequest } from '../../../src/index.ts'
import { linesOf, service } from '../../support/service.ts'

const COVERED = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'x-list']
const verify = createVerifier(service.options)

/** Writes each letter in the case of a bit. */
const inCase = (text: string, bits: number): string =>
  Array.from(text, (char, i) => ((bits >> (i % 16)) & 1 ? char.toUpperCase() : char.toLowerCase())).join('')

/** Splits a value at some of its commas into lines, as a proxy may. */
const split = ([name, value]: HeaderLine, isSplit: boolean): HeaderLine[] =>
  isSplit ? value.split(', ').map(part => [name, part]) : [[name, value]]

/** Changes that a request may undergo on its way, each of which may keep the signing string. */
const changes = fc.record({
  method: fc.nat(0xffff),
  move: fc.boolean(),
  names: fc.nat(0xffff),
  isSplit: fc.boolean(),
  space: fc.constantFrom('', ' ', '\t', ' \t '),
  reversed: fc.boolean(),
  added: fc.constantFrom<HeaderLine>(
    ['Transfer-Encoding', 'chunked'],
    ['Content-Length', '0'],
    ['X-HTTP-Method-Override', 'DELETE']
  ),
  target: fc.constantFrom<(target: string) => string>(
    target => target,
    target => target.toLowerCase(),
    target => `${target} `,
    target => ` ${target}`,
    target => decodeURI(target),
    target => `https://receiver.example${target}`
  ),
  body: fc.constantFrom('{"id":1}', '{"id":1} ', '')
})
type Changes = typeof changes extends fc.Arbitrary<infer T> ? T : never

function change(
  signed: ReceivedRequest,
  { method, move, names, isSplit, space, reversed, added, target, body }: Changes
) {
  const lines = linesOf(signed)
    .flatMap(line => split(line, isSplit && line[0] === 'X-List'))
    .map(([name, value]): HeaderLine => [inCase(name, names), `${space}${value}${space}`])
  const headers = [...(reversed ? lines.reverse() : lines), added]
  const changed = { ...signed, method: inCase(signed.method, method), target: target(signed.target), headers, body }
  // A part of the target that poses as a part of the method.
  return move ? { ...changed, method: `${changed.method} ${changed.target}`, target: '' } : changed
}

test('of requests with one signing string, only what was signed is verified', async () => {
  let sameString = 0
  await fc.assert(
    fc.asyncProperty(changes, fc.constantFrom('POST', 'PATCH', 'M-SEARCH'), async (how, method) => {
      const [target, body, headers] = ['/Hook/caf%C3%A9?a=B', '{"id":1}', { 'X-List': 'a, b, C' }]
      const signed = service.sign({ method, target, body, headers, covered: COVERED })
      const received = change(signed, how)
      const verdict = await verify(received)
      const strings = [signed, received].map(request => buildSigningString(request, COVERED))
      if (strings[0]!.ok && strings[1]!.ok && strings[0]!.value === strings[1]!.value) sameString++
      if (verdict.status !== 'verified') return
      expect([received.method, received.target, Buffer.from(verdict.body).toString()]).toEqual([method, target, body])
      expect(verdict.coveredValues).toMatchObject({ host: 'receiver.example', 'x-list': 'a, b, C' })
    }),
    { numRuns: 3000 }
  )
  expect(sameString).toBeGreaterThan(100)
})
