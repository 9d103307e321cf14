/** Remembers which requests were accepted. Whatever it does not answer with `true` is not verified. */
export interface ReplayStore {
  /**
   * Claims an id for at least `ttlSeconds`: atomic, true when the id was new. Rejects when it cannot tell; the
   * request is then `unavailable`, and the sender is asked to try again.
   */
  claim(id: string, ttlSeconds: number): Promise<boolean>
  /** The handler failed: forget the id, so that the sender's retry of the same bytes is let in. */
  release(id: string): Promise<void>
}
