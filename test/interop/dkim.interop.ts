import { expect, test } from 'vitest'
import { type Sample, samples, type Variant } from './dkim/records.ts'
import { DKIM_VERIFIERS, library } from './dkim/verifiers.ts'
import { documented, row, withoutDebianVersions } from './document.ts'

/** Answers on which a peer and we differ, by what is unusual in them. */
interface Disagreement {
  variant: Variant
  ours: boolean
  answers: number
}

/** A pair is explained by that of its two that makes the same difference alone. */
function explain(differing: readonly (readonly [sample: Sample, ours: boolean])[]): {
  explained: Disagreement[]
  unexplained: string[]
} {
  const explained = new Map<Variant, Disagreement>()
  for (const [sample, ours] of differing) {
    const [variant, second] = sample.variants
    if (variant !== undefined && second === undefined) explained.set(variant, { variant, ours, answers: 1 })
  }
  const unexplained: string[] = []
  for (const [sample, ours] of differing) {
    if (sample.variants.length === 1) continue
    const found = sample.variants.flatMap(variant => explained.get(variant) ?? []).find(one => one.ours === ours)
    if (found === undefined)
      unexplained.push(
        `${sample.answer.flat().join('').slice(0, 60)} (${sample.variants.map(({ name }) => name).join(', ')}): ours ${ours}`
      )
    else found.answers += 1
  }
  return { explained: [...explained.values()], unexplained }
}

const yes = (answer: boolean): string => (answer ? 'good' : 'refused')

test('DKIM verifiers agree on key records, or a clause says which one is right', async () => {
  const list = samples()
  const own = await library.judge(list)
  expect(list.length).toBeGreaterThan(300)
  expect(own.filter(Boolean).length).toBeGreaterThan(50)

  const counts = [row(['verifier', 'answers', 'agree', 'differ']), row(['---', '---', '---', '---'])]
  const reasons = [
    row(['verifier', 'what is unusual', 'here', 'there', 'answers', 'the clause that decides']),
    row(Array(6).fill('---'))
  ]
  const all: string[] = []
  for (const peer of DKIM_VERIFIERS) {
    const answers = await peer.judge(list)
    const differing = list.flatMap((sample, at) => (answers[at] === own[at] ? [] : [[sample, own[at]!] as const]))
    const { explained, unexplained } = explain(differing)
    all.push(...unexplained.map(text => `${peer.name}: ${text}`))
    counts.push(row([peer.name, list.length, list.length - differing.length, differing.length]))
    for (const { variant, ours, answers } of explained)
      reasons.push(row([peer.name, variant.name, yes(ours), yes(!ours), answers, variant.clause]))
  }
  expect(all).toEqual([])
  const text = [
    `${list.length} answers of DNS: each part of a record written in each way, a third of all pairs of two, whole records, and records split and several at the name; ${own.filter(Boolean).length} are good here.`,
    '',
    ...counts,
    '',
    ...reasons
  ].join('\n')
  expect(withoutDebianVersions(text)).toBe(withoutDebianVersions(documented('dkim', text)))
})
