import type { VerifierOptions } from 'signed-requests'

/** The address to listen on; port 0 is a free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

export type ReplaySetting =
  | { readonly kind: 'memory' | 'none' }
  | { readonly kind: 'redis' | 'postgres'; readonly url: string }

/** What a gateway is started with: validated, complete. */
export interface GatewaySettings {
  readonly listen: Address
  /** http or https, without a path */
  readonly upstream: URL
  /** milliseconds until the answer begins, and between two parts of it */
  readonly upstreamTimeout: number
  /** PEM */
  readonly tls: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined
  /** as in the adapters; undefined: as the connection is */
  readonly https: boolean | 'x-forwarded-proto' | undefined
  /** as in the adapters: what the proxy in front strips from the path */
  readonly prefix: string | undefined
  /** the header with the id of a request for the log, in lower case */
  readonly requestId: string | undefined
  /** without a replay store */
  readonly verifier: VerifierOptions
  readonly replay: ReplaySetting
  readonly observe: boolean
  readonly log: 'json' | 'text'
  readonly admin:
    | { readonly address: Address; readonly token: string | undefined; readonly redact: boolean }
    | undefined
  readonly maxConnections: number
  /** milliseconds that running requests have to end at `close` */
  readonly drain: number
}
