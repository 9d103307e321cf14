/**
 * The runtimes whose `node:` modules differ from those of Node.js in what is used here. Checked at each call;
 * test/runtimes shows that each difference still exists.
 */

/** Returns whether this is Cloudflare Workers, or workerd, their runtime. */
export const isWorkers = (): boolean =>
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === 'Cloudflare-Workers'

export const isBun = (): boolean => 'Bun' in globalThis

/** Returns whether this is Node.js 20.18: each of its DNS resolvers keeps answers for as long as their TTL says. */
export const keepsDnsAnswers = (): boolean => globalThis.process?.versions?.node?.startsWith('20.18.') === true
