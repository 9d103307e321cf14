import { createHash } from 'node:crypto'

/** The file of the page that explains a request. */
const EXPLAIN_PAGE = 'explain/index.md'

/**
 * Puts a policy first in the head of a page: nothing from another host, and only the inline scripts that the build has
 * written, by their hash.
 */
export function withPolicy(html: string, page: string): string {
  // VitePress sets this again from its script, which a policy allows.
  const clean = html.replaceAll(' style="--vp-vh:0px;"', '')
  const inline = [...clean.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, code]) => code!)
  const hashes = [...new Set(inline)].map(code => `'sha256-${createHash('sha256').update(code).digest('base64')}'`)
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    "style-src 'self'",
    "img-src 'self' data:",
    // The page that explains starts a worker, and asks the resolver that a person names.
    ...(page === EXPLAIN_PAGE
      ? [
          "connect-src 'self' https:",
          "worker-src 'self'",
          "require-trusted-types-for 'script'",
          'trusted-types worker vue'
        ]
      : ["connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'"
  ].join('; ')
  if (!clean.includes('<head>')) throw new Error('a page without a head')
  return clean.replace('<head>', `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
}
