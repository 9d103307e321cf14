import { vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

export const source = 'RFC 9110 section 4.2.2'
export const vectors = [
  vector('https-missing', { https: false, verdict: rejected('not-https') }),
  vector('https-not-required', {
    https: false,
    options: { requireHttps: false },
    verdict: VERIFIED
  }),
  vector('https-not-required-and-there', { options: { requireHttps: false }, verdict: VERIFIED }),
  vector('https-claimed-by-a-forwarding-header', {
    note: 'Anyone can send these headers.',
    https: false,
    add: [
      ['X-Forwarded-Proto', 'https'],
      ['Forwarded', 'proto=https']
    ],
    verdict: rejected('not-https')
  })
]
