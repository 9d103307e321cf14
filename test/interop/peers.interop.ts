import { afterAll, describe, expect, test } from 'vitest'
import { type Case, DRAFT_CASES, RFC9421_CASES } from './cases.ts'
import { documented, row, withoutDebianVersions } from './document.ts'
import { NOT_JUDGED, type Outcomes, outcomes } from './exchange.ts'
import { DIRECTIONS, type Direction, LIMITS, limitFor } from './limits.ts'
import { PEERS } from './peers/index.ts'
import type { Peer } from './peers/peer.ts'

const casesOf = ({ scheme }: Pick<Peer, 'scheme'>): readonly Case[] =>
  scheme === 'rfc9421' ? RFC9421_CASES : DRAFT_CASES
const found = new Map<Peer, Map<string, Outcomes>>(PEERS.map(peer => [peer, new Map()]))
const NAMES = { 'draft-cavage': 'draft-cavage-12', rfc9421: 'RFC 9421' }

describe.each(PEERS)('$name $version, $scheme', peer => {
  test.each(casesOf(peer))('$name', async one => {
    const { theySign, weSign, tampered } = await outcomes(peer, one)
    found.get(peer)!.set(one.name, { theySign, weSign, tampered })
    const expected = (direction: Direction) => limitFor(peer, one.name, direction)?.[direction] ?? 'yes'
    expect({ theySign, weSign, tampered }).toEqual({
      theySign: expected('theySign'),
      weSign: expected('weSign'),
      tampered: []
    })
  })
})

test('every limit is of a peer and a case that there are', () => {
  for (const limit of LIMITS) {
    const peers = PEERS.filter(({ scheme }) => scheme === limit.scheme).map(({ name }) => name)
    expect(peers).toEqual(expect.arrayContaining([...limit.peers]))
    expect(casesOf(limit).map(({ name }) => name)).toEqual(expect.arrayContaining([...limit.cases]))
  }
})

/** Those of the cases that were judged, and how many were not. */
function count(results: ReadonlyMap<string, Outcomes>, direction: Direction): string {
  const all = [...results.values()].map(result => result[direction])
  const judged = all.filter(outcome => !Object.hasOwn(NOT_JUDGED, outcome))
  const verified = judged.filter(outcome => outcome === 'yes').length
  return `${verified} of ${judged.length}${judged.length < all.length ? `, ${all.length - judged.length} not judged` : ''}`
}

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
    const counts = DIRECTIONS.map(direction => count(results, direction))
    lines.push(row([`\`${peer.name}\` ${peer.version}`, NAMES[peer.scheme], ...counts]))
    for (const [one, result] of results) {
      if (DIRECTIONS.every(direction => result[direction] === 'yes')) continue
      const why = DIRECTIONS.flatMap(direction => limitFor(peer, one, direction)?.reason ?? [])
      const cells = DIRECTIONS.map(direction => result[direction])
      reasons.push(row([`\`${peer.name}\``, NAMES[peer.scheme], one, ...cells, [...new Set(why)].join('; ')]))
    }
  }
  const notes = PEERS.flatMap(({ name, scheme, note }) =>
    note === undefined ? [] : [`- \`${name}\` (${NAMES[scheme]}): ${note}.`]
  )
  const names = (['draft-cavage', 'rfc9421'] as const).map(
    scheme =>
      `${NAMES[scheme]}: ${casesOf({ scheme })
        .map(one => one.name)
        .join('; ')}.`
  )
  return [
    ...lines,
    '',
    ...names.flatMap(line => [line, '']),
    ...notes,
    '',
    'A case is "not judged" where the request was verified and the case had no part in it:',
    '',
    ...Object.entries(NOT_JUDGED).map(([outcome, meaning]) => `- ${outcome}: ${meaning}.`),
    '',
    'All that is not "yes", with the outcome as it was seen: the code of our verdict, the answer of the peer, or the message of its error.',
    '',
    ...reasons
  ].join('\n')
}

afterAll(() => {
  const text = table()
  expect(withoutDebianVersions(text)).toBe(withoutDebianVersions(documented('peers', text)))
})
