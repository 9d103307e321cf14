import { CDNS, type CdnName } from '../core/http/cdn.ts'

/** A CDN or a load balancer that may have replaced Host, and the setting that makes it keep Host. */
export interface Cdn {
  readonly name: CdnName
  readonly keepHost: string
}

const KEEP_HOST: Readonly<Record<CdnName, string>> = {
  CloudFront: 'give its behavior an origin request policy that forwards Host, such as AllViewer',
  Cloudflare: 'remove the Host header override of its origin rules, and let no Worker fetch another host name',
  Fastly: 'leave "Override host" of its host and of its service empty',
  'Azure Front Door': 'leave "Origin host header" of its origin empty',
  Akamai: 'set "Forward Host Header" of its origin server to "Incoming Host Header"',
  "Google Cloud's load balancer": 'take hostRewrite out of its URL map'
}

const LINES = CDNS.map(({ name, headers, via }) => ({
  name,
  line: new RegExp([...headers.map(header => `^${header}: `), `^(?:via|cdn-loop): .*\\b${via}`].join('|'), 'i')
}))

/** Finds the first CDN that names itself in one of these header lines. */
export function cdnIn(lines: readonly string[] = []): Cdn | undefined {
  const cdn = LINES.find(({ line }) => lines.some(one => line.test(one)))
  return cdn && { name: cdn.name, keepHost: KEEP_HOST[cdn.name] }
}
