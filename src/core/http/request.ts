/** One header line as received. */
export type HeaderLine = readonly [name: string, value: string]

/** Header lines as received: pairs in order (so repeats are seen), or a record as `node:http` makes it. */
export type ReceivedHeaders = Iterable<HeaderLine> | Readonly<Record<string, string | readonly string[] | undefined>>

/** The bytes of a body, or a stream of them. A string is taken as UTF-8; null means no body. */
export type ReceivedBody = Uint8Array | string | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null

/**
 * Bytes in a buffer of their own: `new Response()`, `Buffer.from()` and `crypto.subtle.digest()` take them. This is
 * `Uint8Array<ArrayBuffer>` from TypeScript 5.7 on, and `Uint8Array` before, which has no such type.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>

/** An HTTP request as it arrived, before anything parsed, decoded or rebuilt it. */
export interface ReceivedRequest {
  /** as received, in its own case */
  method: string
  /** the request-target byte for byte: path and query, never rebuilt through URL */
  target: string
  /** every line as received, Host too */
  headers: ReceivedHeaders
  /** a stream is read only after the signature over the head has been verified */
  body: ReceivedBody
  /** whether it arrived over TLS */
  https: boolean
  /** abort it when you no longer wait for the verdict: the verifier then stops waiting for DNS and drops the request */
  signal?: AbortSignal | undefined
  /** an adapter's notes for the evidence of a failed check; no check depends on them */
  forwarded?: ForwardedNotes | undefined
}

/** The forwarding headers that an adapter was told to trust and could not use, by the option that names them. */
export interface ForwardedNotes {
  https?: ForwardedNote
  host?: ForwardedNote
}

/** A forwarding header, and the values that were received in it. */
export interface ForwardedNote {
  header: string
  /** all its values: none, several, or one that is not usable */
  received: readonly string[]
}
