import { CODES } from '../result/codes.ts'
import type { Failed } from '../result/result.ts'
import type { Examination, Found, Later, Outcome, StepName } from './context.ts'

/**
 * Checks that run one after the other, whatever the others return. Each has the same form; only the last one may wait.
 */
type Checks<Needs extends StepName> = {
  readonly [N in StepName]?: (examination: Examination<Needs>) => Outcome<Found[N]> | Promise<Outcome<Found[N]>>
}

/** The steps that have passed when these checks have: not those that a later stage decides. */
type PassedBy<S> = {
  [N in keyof S & StepName]: S[N] extends (examination: never) => infer R
    ? [Extract<Awaited<R>, Later>] extends [never]
      ? N
      : never
    : never
}[keyof S & StepName]

interface Stage {
  readonly names: readonly StepName[]
  readonly checks: readonly ((examination: Examination<StepName>) => Outcome<unknown> | Promise<Outcome<unknown>>)[]
  /** why the checks of later stages were not run, when one of these did not pass */
  readonly reason: string
}

/** The stages of a verification, in order. */
export class Stages<Passed extends StepName = never> {
  private readonly stages: readonly Stage[]

  constructor(stages: readonly Stage[] = []) {
    this.stages = stages
  }

  /** Adds a stage, whose checks may use what those of earlier stages have found. */
  add<S extends Checks<Passed>>(checks: S & { readonly [N in Exclude<keyof S, StepName>]: never }, reason: string) {
    const stage = { names: Object.keys(checks), checks: Object.values(checks), reason } as unknown as Stage
    return new Stages<Passed | PassedBy<S>>([...this.stages, stage])
  }

  /** Runs the stages until one does not pass. Returns the examination when all have passed, else the reason. */
  async run(examination: Examination<never>): Promise<Examination<Passed> | string> {
    // Loops by index: an iterator that outlives an await is an object, and they would be a tenth of all memory used.
    for (let i = 0; i < this.stages.length; i++) {
      const { names, checks, reason } = this.stages[i]!
      let passed = true
      for (let j = 0; j < checks.length; j++) {
        const outcome = checks[j]!(examination as Examination<StepName>)
        // An await of what is already there would cost a turn of the loop.
        if (!record(examination, names[j]!, outcome instanceof Promise ? await outcome : outcome)) passed = false
      }
      if (!passed) return reason
    }
    return examination as Examination<Passed>
  }
}

/** Records what a check returned. Returns whether the verification may go on. */
function record({ results }: Examination, name: StepName, outcome: Outcome<unknown>): boolean {
  const failed = !outcome.ok && 'code' in outcome
  ;(results as Record<StepName, unknown>)[failed ? checkOf(outcome) : name] = outcome
  return outcome.ok || 'goesOn' in outcome
}

const checkOf = ({ code }: Failed): StepName => CODES[code].check
