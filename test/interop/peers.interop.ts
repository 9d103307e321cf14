import { afterAll, describe, expect, test } from 'vitest'
import { type Case, DRAFT_CASES, RFC9421_CASES } from './cases.ts'
import { documented, table, withoutDebianVersions } from './document.ts'
import { NOT_JUDGED, type Outcomes, outcomes } from './exchange.ts'
import { DIRECTIONS, type Direction, LIMITS, limitFor } from './limits.ts'
import { PEERS } from './peers/index.ts'
import type { Peer } from './peers/peer.ts'

const CASES: Readonly<Record<Peer['scheme'], readonly Case[]>> = { 'draft-cavage': DRAFT_CASES, rfc9421: RFC9421_CASES }
const NAMES: Readonly<Record<Peer['scheme'], string>> = { 'draft-cavage': 'draft-cavage-12', rfc9421: 'RFC 9421' }
const SCHEMES = Object.keys(NAMES) as Peer['scheme'][]
const found = new Map<Peer, Map<string, Outcomes>>(PEERS.map(peer => [peer, new Map()]))

describe.each(PEERS)('$name $version, $scheme', peer => {
  test.each(CASES[peer.scheme])('$name', async one => {
    const seen = await outcomes(peer, one)
    found.get(peer)!.set(one.name, seen)
    const expected = (direction: Direction) => limitFor(peer, one.name, direction)?.outcome ?? 'yes'
    expect(seen).toEqual({ theySign: expected('theySign'), weSign: expected('weSign'), tampered: [] })
  })
})

test.each(SCHEMES)('every limit is of a peer and a case that there are, by %s', scheme => {
  const peers = PEERS.filter(peer => peer.scheme === scheme).map(({ name }) => name)
  const cases = CASES[scheme].map(({ name }) => name)
  for (const rows of Object.values(LIMITS[scheme])) {
    expect(peers).toEqual(expect.arrayContaining(Object.keys(rows)))
    expect(cases).toEqual(expect.arrayContaining(Object.values(rows).flatMap(([of]) => of)))
  }
})

/** Counts the successes among the judged cases, and the cases that were not judged. */
function count(results: ReadonlyMap<string, Outcomes>, direction: Direction): string {
  const all = [...results.values()].map(result => result[direction])
  const judged = all.filter(outcome => !Object.hasOwn(NOT_JUDGED, outcome))
  const verified = judged.filter(outcome => outcome === 'yes').length
  return `${verified} of ${judged.length}${judged.length < all.length ? `, ${all.length - judged.length} not judged` : ''}`
}

function results(): string {
  const counts = [...found].map(([peer, seen]) => [
    `\`${peer.name}\` ${peer.version}`,
    NAMES[peer.scheme],
    ...DIRECTIONS.map(direction => count(seen, direction))
  ])
  const reasons = [...found].flatMap(([peer, seen]) =>
    [...seen].flatMap(([one, result]) => {
      const limits = DIRECTIONS.flatMap(direction => limitFor(peer, one, direction) ?? [])
      const why = [...new Set(limits.map(({ reason }) => reason))].join('; ')
      const cells = DIRECTIONS.map(direction => result[direction])
      const isGood = cells.every(cell => cell === 'yes')
      return isGood ? [] : [[`\`${peer.name}\``, NAMES[peer.scheme], one, ...cells, why]]
    })
  )
  return [
    ...table(['peer', 'standard', 'they sign, we verify', 'we sign, they verify'], counts),
    '',
    ...SCHEMES.flatMap(scheme => [`${NAMES[scheme]}: ${CASES[scheme].map(({ name }) => name).join('; ')}.`, '']),
    ...PEERS.flatMap(({ name, scheme, note }) => (note ? [`- \`${name}\` (${NAMES[scheme]}): ${note}.`] : [])),
    '',
    'A case is "not judged" where the request was verified and the case had no part in it:',
    '',
    ...Object.entries(NOT_JUDGED).map(([outcome, meaning]) => `- ${outcome}: ${meaning}.`),
    '',
    'All that is not "yes", with the outcome as it was seen: the code of our verdict, the answer of the peer, or the message of its error.',
    '',
    ...table(['peer', 'standard', 'case', 'they sign', 'we sign', 'why'], reasons)
  ].join('\n')
}

afterAll(() => {
  const text = results()
  expect(withoutDebianVersions(text)).toBe(withoutDebianVersions(documented('peers', text)))
})
