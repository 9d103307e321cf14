/**
 * The runtimes whose `node:` modules differ from those of Node.js in what is used here. Asked at each call, and
 * test/runtimes shows that each difference is still there.
 */

/** Cloudflare Workers, and workerd, on which they run. */
export const isWorkers = (): boolean =>
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === 'Cloudflare-Workers'

export const isBun = (): boolean => 'Bun' in globalThis
