/**
 * RFC 3986 section 3.3: an absolute path. Empty segments are excluded, because `//` could pose as a host, and so are
 * dot segments, because a client would have resolved them.
 */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9\-._~!$&'()*+,;=:@%]+)*\/?$/

/** Whether it is a path that a proxy can strip from the front of a target, with or without a slash at its end. */
export const isPathPrefix = (text: unknown): text is string =>
  typeof text === 'string' && text.startsWith('/') && PREFIX.test(text)

/** The target as it was before a proxy stripped the prefix from it. It begins with a slash. */
export const restorePathPrefix = (prefix: string, target: string): string =>
  (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix) + target
