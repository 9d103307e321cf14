/**
 * Remembers which requests have been accepted, so that each is accepted once.
 */
export interface ReplayStore {
  /** for the evidence of a failure, such as `Redis at 10.0.0.5:6379` */
  readonly name?: string

  /**
   * Takes an id for `ttlSeconds`, as one atomic step: of any number of callers, on any number of machines that
   * share the store, one gets `true`.
   *
   * @param id identifies one signed request; the verifier's is a hash of the signature bytes
   * @param ttlSeconds how long the id has to be remembered, a finite number greater than 0, fractions allowed
   * @param timeout how long the verifier waits, in milliseconds. A store of your own may ignore it: when it resolves to
   *   `true` later, the verifier calls `release`. A store that knows it does better: its late claim never takes the id.
   * @returns true when the id was new and is now held, false when it was held already
   * @throws (rejects) when the store cannot tell, because it cannot be reached or is full. The id may still be held, if
   *   only the answer was lost; `true` is never returned without the id being held.
   */
  claim(id: string, ttlSeconds: number, timeout?: number): Promise<boolean>

  /**
   * Gives an id back, so that a retry of the same request is accepted. Call it only for an id that your own `claim` (or
   * your own verdict's `replayId`) took: releasing another's lets a replay in.
   *
   * @throws (rejects) when the store cannot be reached; the id is then held until it expires
   */
  release(id: string): Promise<void>
}

/** @throws TypeError, for arguments only a programmer can get wrong */
export function assertId(id: unknown): asserts id is string {
  if (typeof id !== 'string' || id === '') {
    throw new TypeError("id must be a non-empty string: pass the verdict's replayId")
  }
}

/** @throws TypeError, for an impossible time to live: 0 or less would hold nothing and let every replay in */
export function assertTtl(ttlSeconds: unknown): asserts ttlSeconds is number {
  if (typeof ttlSeconds !== 'number' || !Number.isFinite(ttlSeconds) || ttlSeconds <= 0) {
    throw new TypeError(
      `ttlSeconds must be a finite number of seconds greater than 0, not ${String(ttlSeconds)}`
    )
  }
}
