import { vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

export const source = 'RFC 9110 section 4.2.2'
export const vectors = [
  vector('https-missing', rejected('not-https'), { https: false, options: { requireHttps: true } }),
  vector('https-not-required', VERIFIED, {
    https: false,
    options: { requireHttps: false }
  }),
  vector('https-not-required-and-there', VERIFIED, { options: { requireHttps: false } }),
  vector('https-claimed-by-a-forwarding-header', rejected('not-https'), {
    note: 'Anyone can send these headers.',
    https: false,
    options: { requireHttps: true },
    add: [
      ['X-Forwarded-Proto', 'https'],
      ['Forwarded', 'proto=https']
    ]
  })
]
