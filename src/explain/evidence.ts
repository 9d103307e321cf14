/** The evidence of any code, as `explain` reads it. */
export type Evidence = Readonly<Record<string, string | number | readonly string[] | undefined>>

export const evidenceOf = (failed: object): Evidence => (failed as { evidence?: Evidence }).evidence ?? {}

/** The text below a failed check. */
export type Advice = readonly [cause: string, fix: string]
