import type { Fields } from './fields.ts'

/**
 * CDNs and load balancers, and the header lines in which they name themselves: a header of their own, or a word in Via
 * or CDN-Loop. Anyone can send such a line: it is a hint for a person, and trusted for nothing.
 */
export const CDNS = [
  { name: 'CloudFront', headers: ['X-Amz-Cf-Id'], via: 'cloudfront' },
  { name: 'Cloudflare', headers: ['CF-Ray'], via: 'cloudflare' },
  { name: 'Fastly', headers: ['X-Served-By', 'Fastly-Client-IP'], via: 'fastly' },
  { name: 'Azure Front Door', headers: ['X-Azure-FDID'], via: 'azure' },
  { name: 'Akamai', headers: ['Akamai-Origin-Hop'], via: 'akamai' },
  // Googlebot is another program.
  { name: "Google Cloud's load balancer", headers: [], via: 'google\\b' }
] as const

export type CdnName = (typeof CDNS)[number]['name']

/** Returns the names that a REST API of API Gateway has given to these headers: `X-Amzn-Remapped-Date`. */
export const remappedNames = ({ values }: Pick<Fields, 'values'>, names: readonly string[]): string[] =>
  names
    .filter(name => values.has(`x-amzn-remapped-${name}`))
    .map(name => `X-Amzn-Remapped-${name.replace(/(?<![a-z])[a-z]/g, letter => letter.toUpperCase())}`)

/** The headers in which CDNs name themselves. */
export const CDN_HEADERS: readonly string[] = ['Via', 'CDN-Loop', ...CDNS.flatMap(({ headers }) => headers)]
