import { mistake } from '../mistakes.ts'

/**
 * Remembers which requests have been accepted, so that each is accepted once. For each id it keeps one token, whether
 * that claim holds the id or was released, and when the id expires; an id that has expired is free. Each call is one
 * atomic step for all callers, on all machines that share the store.
 *
 * | the id is | `claim(t)` | `release(t)` |
 * |---|---|---|
 * | free | held by t; true | released by t |
 * | held by t | no change; true | released by t |
 * | held by u | no change; false | no change |
 * | released by t | no change; false | no change |
 * | released by u | held by t; true | released by t |
 *
 * So it does not matter in which order calls arrive, or how often: a claim that arrives after its release is false.
 */
export interface ReplayStore {
  /** for the evidence of a failure, such as `Redis at 10.0.0.5:6379` */
  readonly name?: string

  /**
   * @param id identifies one signed request; the verifier's is a hash of the signature bytes
   * @param token identifies one claim; the verifier makes a random one for each
   * @param ttlSeconds how long the id has to be remembered, a finite number greater than 0, fractions allowed
   * @returns true when this token holds the id now
   * @throws (rejects) when the store cannot tell, because it cannot be reached or is full. The id may still be held, if
   *   only the answer was lost; `true` is never returned without the id being held.
   */
  claim(id: string, token: string, ttlSeconds: number): Promise<boolean>

  /**
   * Releases the claim with this token: from now on it does not count, even if it arrives later.
   *
   * @param ttlSeconds how long that has to be remembered
   * @throws (rejects) when the store cannot be reached
   */
  release(id: string, token: string, ttlSeconds: number): Promise<void>
}

/** @throws TypeError, for arguments that only a programmer can get wrong, without what was given: a token is secret */
export function assertCall(id: unknown, token: unknown, ttlSeconds: unknown): void {
  for (const [name, value] of Object.entries({ id, token })) {
    if (typeof value === 'string' && value !== '') continue
    throw mistake(
      `${name} is`,
      value,
      'pass a string that is not empty: a store is called with (id, token, ttlSeconds)'
    )
  }
  // 0 or less would hold nothing and let every replay in.
  if (typeof ttlSeconds !== 'number' || !Number.isFinite(ttlSeconds) || ttlSeconds <= 0)
    throw mistake('ttlSeconds is', ttlSeconds, 'pass a finite number of seconds greater than 0')
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** Parses a table's name into its parts, of ASCII letters, digits and underscores: they can be quoted as they are. */
export function parseTableName(name: unknown, maxParts: 1 | 2): [table: string, schema?: string] {
  const parts = typeof name === 'string' ? name.split('.') : []
  const [table, schema] = [...parts].reverse()
  if (table !== undefined && parts.length <= maxParts && parts.every(part => IDENTIFIER.test(part)))
    return schema === undefined ? [table] : [table, schema]
  const forms = maxParts === 1 ? 'a name' : 'name or schema.name,'
  throw mistake('table is', name, `write ${forms} of ASCII letters, digits and underscores, at most 63 each`)
}
