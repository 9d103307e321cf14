/** A CDN or a load balancer that may have replaced Host, and the setting that makes it keep Host. */
export interface Cdn {
  readonly name: string
  readonly keepHost: string
}

/** Recognises each CDN by a header line: by its name, or by the text in Via or CDN-Loop. */
const CDNS: readonly (Cdn & { readonly line: RegExp })[] = [
  {
    line: /^x-amz-cf-id: |^via: .*cloudfront/i,
    name: 'CloudFront',
    keepHost: 'give its behavior an origin request policy that forwards Host, such as AllViewer'
  },
  {
    line: /^cf-ray: |^cdn-loop: .*cloudflare/i,
    name: 'Cloudflare',
    keepHost: 'remove the Host header override of its origin rules, and let no Worker fetch another host name'
  },
  {
    line: /^(?:fastly-client-ip|x-served-by): |^cdn-loop: .*fastly/i,
    name: 'Fastly',
    keepHost: 'leave "Override host" of its host and of its service empty'
  },
  {
    line: /^x-azure-fdid: |^via: .*azure/i,
    name: 'Azure Front Door',
    keepHost: 'leave "Origin host header" of its origin empty'
  },
  {
    line: /^akamai-origin-hop: |^(?:via|cdn-loop): .*akamai/i,
    name: 'Akamai',
    keepHost: 'set "Forward Host Header" of its origin server to "Incoming Host Header"'
  },
  {
    line: /^via: .*\bgoogle\b/i,
    name: "Google Cloud's load balancer",
    keepHost: 'take hostRewrite out of its URL map'
  }
]

/**
 * Finds the first CDN that names itself in one of these header lines. Anyone can send such a line: it is a hint, not a
 * proof.
 */
export const cdnIn = (lines: readonly string[] = []): Cdn | undefined =>
  CDNS.find(({ line }) => lines.some(one => line.test(one)))
