/** A rule, with vectors that keep it and are verified, and vectors that break it and are refused as it demands. */
export interface Rule {
  part: string
  rule: string
  keep: readonly string[]
  break: readonly Break[]
  /** why there is no vector of one of the two kinds */
  why?: string
}

/** A vector, and the codes of all its failures, in order. */
export interface Break {
  codes: string
  name: string
}

/** Vectors that break a rule, by the codes of all their failures. */
type Broken = Readonly<Record<string, string>>

export const NONE = ''

export const rules = (part: string, ...list: readonly Omit<Rule, 'part'>[]): Rule[] =>
  list.map(rule => ({ part, ...rule }))

/** Names stand in one text, separated by white space. */
export const rule = (rule: string, keep: string, broken: Broken, why?: string): Omit<Rule, 'part'> => ({
  rule,
  keep: namesIn(keep),
  break: Object.entries(broken).flatMap(([codes, names]) => namesIn(names).map(name => ({ codes, name }))),
  ...(why !== undefined && { why })
})

const namesIn = (text: string): string[] => text.split(/\s+/).filter(name => name !== '')
