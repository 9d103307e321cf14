/**
 * The second argument of `lookupTxt`. Makes the signal only for a lookup that asks for it: a controller and a listener
 * cost more than a tenth of a verification.
 */
export class LookupOptions {
  #controller: AbortController | undefined
  #onAbort: (() => void) | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Aborts the signal, also of a lookup that asks for it later. */
  abort(): void {
    this.#controller ??= new AbortController()
    this.#controller.abort()
    this.#onAbort?.()
  }

  /**
   * Calls back when the query is aborted. For the options that the verifier passes this makes no signal; they have one
   * callback.
   *
   * @returns ends that
   */
  static onAbort(options: { readonly signal: AbortSignal } | undefined, callback: () => void): () => void {
    if (options instanceof LookupOptions) {
      options.#onAbort = callback
      return () => {
        options.#onAbort = undefined
      }
    }
    const signal = options?.signal
    if (signal?.aborted) callback()
    signal?.addEventListener('abort', callback)
    return () => signal?.removeEventListener('abort', callback)
  }
}
