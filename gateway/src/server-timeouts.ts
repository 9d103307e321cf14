/** Milliseconds that a sender, or the proxy in front, may take for a head and for a whole request. */
export const SERVER_TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Node.js checks every 30 s by default, so a 10 s limit could take 40 s.
  connectionsCheckingInterval: 1000
} as const
