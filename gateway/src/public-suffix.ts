/**
 * Returns whether the public registers names directly under a domain, as under `co.uk`, by the Public Suffix List. The
 * list takes 11 MB of memory, so it is loaded only when it is asked.
 */
export async function isPublicSuffix(domain: string): Promise<boolean> {
  const { parse } = await import('tldts')
  const { hostname, publicSuffix } = parse(domain, { allowPrivateDomains: true })
  return hostname !== null && hostname === publicSuffix
}
