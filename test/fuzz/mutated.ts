import type { Draft, Way } from './mutate.ts'
import { DRAFT_CAVAGE } from './mutate-draft-cavage.ts'
import { RFC9421 } from './mutate-rfc9421.ts'
import type { Arrived } from './oracle.ts'
import { createRandom, type Random } from './random.ts'
import { signByDraft } from './sign-draft-cavage.ts'
import { signByRfc9421 } from './sign-rfc9421.ts'
import type { Signed } from './signed.ts'

/** A request as it arrived, with the TXT records at that time. */
export interface Mutated {
  arrived: Arrived
  records: ReadonlyMap<string, readonly string[]>
  /** the signed request, and another one from which parts may be taken */
  signed: readonly [Signed, Signed]
  /** whether it is still what was signed, and how often it was changed */
  isKept: boolean
  changes: number
}

/** This many requests come from one seed; the first is unchanged. */
const ROUND = 32

/** Returns signed requests, changed on their way; always the same for a seed. */
export function mutatedRequests(seed: number): Mutated[] {
  const random = createRandom(seed)
  const signSomething = (): Signed => (random.chance(0.5) ? signByDraft(random) : signByRfc9421(random))
  const [signed, other] = [signSomething(), signSomething()]
  return Array.from({ length: ROUND }, (_, at) =>
    signed.scheme === 'rfc9421'
      ? mutate(RFC9421, signed, other, at, random)
      : mutate(DRAFT_CAVAGE, signed, other, at, random)
  )
}

function mutate<S extends Signed, D extends Draft>(
  way: Way<S, D>,
  signed: S,
  other: Signed,
  at: number,
  random: Random
): Mutated {
  const draft = way.draftOf(signed)
  // Half of the requests stay as signed, or are changed once: verified requests test most.
  const isKept = at === 0 || random.chance(0.4)
  const changes = at === 0 ? 0 : 1 + random.below(isKept ? 3 : 2)
  for (let n = 0; n < changes; n++) random.pick(isKept ? way.keeping : way.changing)(draft, random, other)
  const whole = [...draft.headers, ...way.signatureHeaders(draft)]
  const { method, target, body, https, records } = draft
  const headers = draft.last.reduce((changed, change) => change(changed), whole)
  return { arrived: { method, target, headers, body, https }, records, signed: [signed, other], isKept, changes }
}
