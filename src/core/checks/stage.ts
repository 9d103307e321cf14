import { CODES } from '../result/codes.ts'
import type { Failed } from '../result/result.ts'
import type { Examination, Found, Later, Outcome, StepName } from './context.ts'

/** Checks that run one after the other, whatever the others return. Each has the same form. */
export type Stage<Needs extends StepName> = {
  readonly [N in StepName]?: (examination: Examination<Needs>) => Outcome<Found[N]> | Promise<Outcome<Found[N]>>
}

type SyncStage<Needs extends StepName> = {
  readonly [N in StepName]?: (examination: Examination<Needs>) => Outcome<Found[N]>
}

/** The steps of a stage that have passed after it: not those that a later stage decides. */
type PassedBy<S> = {
  [N in keyof S & StepName]: S[N] extends (examination: never) => infer R
    ? [Extract<Awaited<R>, Later>] extends [never]
      ? N
      : never
    : never
}[keyof S & StepName]

/** Runs all checks of a stage. Undefined when one did not pass. */
export function run<Needs extends StepName, S extends SyncStage<Needs>>(
  stage: S,
  examination: Examination<Needs>
): Examination<Needs | PassedBy<S>> | undefined {
  let passed = true
  for (const name in stage) {
    const outcome = stage[name as StepName]!(examination)
    if (!record(examination, name as StepName, outcome)) passed = false
  }
  return passed ? (examination as Examination<Needs | PassedBy<S>>) : undefined
}

/** Does the same for a stage whose checks wait for something, one after the other. */
export async function runWaiting<Needs extends StepName, S extends Stage<Needs>>(
  stage: S,
  examination: Examination<Needs>
): Promise<Examination<Needs | PassedBy<S>> | undefined> {
  let passed = true
  for (const name in stage) {
    const outcome = await stage[name as StepName]!(examination)
    if (!record(examination, name as StepName, outcome)) passed = false
  }
  return passed ? (examination as Examination<Needs | PassedBy<S>>) : undefined
}

/** Records what a check returned. Returns whether the verification may go on. */
function record({ results, found }: Examination, name: StepName, outcome: Outcome<unknown>): boolean {
  if (outcome.ok) {
    results[name] = outcome
    ;(found as Record<StepName, unknown>)[name] = outcome.value
    return true
  }
  results['code' in outcome ? checkOf(outcome) : name] = outcome
  return 'goesOn' in outcome
}

const checkOf = ({ code }: Failed): StepName => CODES[code].check
