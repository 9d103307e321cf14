import { createHash } from 'node:crypto'

/**
 * Puts a policy first in the head of a page: nothing from another host, and only the inline scripts that the build has
 * written, by their hash.
 */
export function withPolicy(page: string): string {
  // VitePress sets this again from its script, which a policy allows.
  const html = page.replaceAll(' style="--vp-vh:0px;"', '')
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, code]) => code!)
  const hashes = [...new Set(inline)].map(code => `'sha256-${createHash('sha256').update(code).digest('base64')}'`)
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'"
  ].join('; ')
  if (!html.includes('<head>')) throw new Error('a page without a head')
  return html.replace('<head>', `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
}
