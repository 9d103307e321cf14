import { afterAll, describe, expect, test } from 'vitest'
import { DRAFT_CASES, RFC9421_CASES } from './cases.ts'
import { documented, row } from './document.ts'
import { type Outcomes, outcomes } from './exchange.ts'
import { limitFor } from './limits.ts'
import { PEERS } from './peers/index.ts'
import type { Peer } from './peers/peer.ts'

const casesOf = ({ scheme }: Peer) => (scheme === 'rfc9421' ? RFC9421_CASES : DRAFT_CASES)
const found = new Map<Peer, Map<string, Outcomes>>(PEERS.map(peer => [peer, new Map()]))
const NAMES = { 'draft-cavage': 'draft-cavage-12', rfc9421: 'RFC 9421' }

describe.each(PEERS)('$name $version, $scheme', peer => {
  test.each(casesOf(peer))('$name', async one => {
    const outcome = await outcomes(peer, one)
    found.get(peer)!.set(one.name, outcome)
    for (const direction of ['theySign', 'weSign'] as const) {
      const limit = limitFor(peer, one.name, direction)
      // A limit that no longer holds is an error too.
      const asDocumented = limit === undefined ? outcome[direction] === 'yes' : outcome[direction] !== 'yes'
      expect({ direction, limit, outcome: outcome[direction], asDocumented }).toMatchObject({
        asDocumented: true
      })
    }
    expect(outcome.tampered).not.toBe('yes')
  })
})

const mark = (outcome: string | undefined, limit: string | undefined): string =>
  outcome === 'yes' ? 'yes' : limit === undefined ? `NOT EXPLAINED: ${outcome}` : 'no'

function table(): string {
  const lines = [
    row(['peer', 'standard', 'they sign, we verify', 'we sign, they verify']),
    row(['---', '---', '---', '---'])
  ]
  const reasons = [
    row(['peer', 'standard', 'case', 'they sign', 'we sign', 'why']),
    row(['---', '---', '---', '---', '---', '---'])
  ]
  for (const [peer, results] of found) {
    const count = (direction: 'theySign' | 'weSign') => {
      const verified = [...results.values()].filter(result => result[direction] === 'yes').length
      return `${verified} of ${results.size}`
    }
    const name = `\`${peer.name}\` ${peer.version}`
    lines.push(row([name, NAMES[peer.scheme], count('theySign'), count('weSign')]))
    for (const [one, result] of results) {
      const limits = (['theySign', 'weSign'] as const).map(direction => limitFor(peer, one, direction))
      if (limits.every(limit => limit === undefined)) continue
      const marks = [mark(result.theySign, limits[0]), mark(result.weSign, limits[1])]
      const why = [...new Set(limits.filter(limit => limit !== undefined))].join('; ')
      reasons.push(row([`\`${peer.name}\``, NAMES[peer.scheme], one, ...marks, why]))
    }
  }
  const notes = PEERS.flatMap(({ name, scheme, note }) =>
    note === undefined ? [] : [`- \`${name}\` (${NAMES[scheme]}): ${note}.`]
  )
  const names = (['draft-cavage', 'rfc9421'] as const).map(
    scheme =>
      `${NAMES[scheme]}: ${(scheme === 'rfc9421' ? RFC9421_CASES : DRAFT_CASES).map(one => one.name).join('; ')}.`
  )
  return [
    ...lines,
    '',
    ...names.flatMap(line => [line, '']),
    ...notes,
    '',
    'What is not "yes":',
    '',
    ...reasons
  ].join('\n')
}

afterAll(() => {
  expect(table()).toBe(documented('peers', table()))
})
