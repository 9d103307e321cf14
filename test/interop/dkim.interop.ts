import { expect, test } from 'vitest'
import { type Sample, samples, type Variant } from './dkim/records.ts'
import { DKIM_VERIFIERS, library } from './dkim/verifiers.ts'
import { documented, table, withoutDebianVersions } from './document.ts'

/** Describes answers on which a peer and the library differ, by their unusual part. */
interface Disagreement {
  variant: Variant
  ours: boolean
  answers: number
}

/** A single variant that makes the same difference explains a pair with it. */
function explain(differing: readonly (readonly [sample: Sample, ours: boolean])[]) {
  const explained = new Map<Variant, Disagreement>()
  for (const [{ variants }, ours] of differing)
    if (variants.length === 1) explained.set(variants[0]!, { variant: variants[0]!, ours, answers: 1 })
  const unexplained: string[] = []
  for (const [{ variants, answer }, ours] of differing) {
    if (variants.length === 1) continue
    const found = variants.flatMap(variant => explained.get(variant) ?? []).find(one => one.ours === ours)
    const names = variants.map(({ name }) => name).join(', ')
    if (found !== undefined) found.answers += 1
    else unexplained.push(`${answer.flat().join('').slice(0, 60)} (${names}): ours ${ours}`)
  }
  return { explained: [...explained.values()], unexplained }
}

const yes = (answer: boolean): string => (answer ? 'good' : 'refused')

test('DKIM verifiers agree on key records, or a clause says which one is right', async () => {
  const list = samples()
  const own = await library.judge(list)
  const good = own.filter(Boolean).length
  expect(list.length).toBeGreaterThan(300)
  expect(good).toBeGreaterThan(50)

  const counts: (string | number)[][] = []
  const reasons: (string | number)[][] = []
  const all: string[] = []
  for (const peer of DKIM_VERIFIERS) {
    const answers = await peer.judge(list)
    const differing = list.flatMap((sample, at) => (answers[at] === own[at] ? [] : [[sample, own[at]!] as const]))
    const { explained, unexplained } = explain(differing)
    all.push(...unexplained.map(text => `${peer.name}: ${text}`))
    counts.push([peer.name, list.length, list.length - differing.length, differing.length])
    for (const { variant, ours, answers } of explained)
      reasons.push([peer.name, variant.name, yes(ours), yes(!ours), answers, variant.clause])
  }
  expect(all).toEqual([])
  const text = [
    `${list.length} answers of DNS: each part of a record written in each way, a third of all pairs of two, whole records, and records split and several at the name; ${good} are good here.`,
    '',
    ...table(['verifier', 'answers', 'agree', 'differ'], counts),
    '',
    ...table(['verifier', 'what is unusual', 'here', 'there', 'answers', 'the clause that decides'], reasons)
  ].join('\n')
  expect(withoutDebianVersions(text)).toBe(withoutDebianVersions(documented('dkim', text)))
})
