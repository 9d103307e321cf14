import { vector } from '../recipe.ts'
import { RSA_NAME, vector as rfc9421Vector } from '../recipe-rfc9421.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

export const CHOICE =
  'fixtures/README.md, two standards: a request with Signature-Input is judged by RFC 9421 where that is allowed'

const SIGNATURE_INPUT = ['Signature-Input', `sig1=("@method");keyid="${RSA_NAME}"`] as const

/** What the draft judges though RFC 9421 is near; what RFC 9421 judges is in rfc9421.json. */
export const source = CHOICE
export const vectors = [
  vector('schemes-draft-where-both-are-allowed', {
    options: { schemes: ['rfc9421', 'draft-cavage'] },
    verdict: VERIFIED
  }),
  vector('schemes-draft-with-signature-input-where-the-draft-alone-is-allowed', {
    received: { add: [SIGNATURE_INPUT] },
    verdict: VERIFIED
  }),
  {
    ...rfc9421Vector('where-the-draft-alone-is-allowed', {
      options: { schemes: ['draft-cavage'] },
      verdict: rejected('signature-malformed', 'digest-missing')
    }),
    name: 'schemes-rfc9421-where-the-draft-alone-is-allowed'
  },
  {
    ...rfc9421Vector('without-signature-input-where-both-are-allowed', {
      header: () => ({ input: null }),
      options: { schemes: ['draft-cavage', 'rfc9421'] },
      verdict: rejected('signature-malformed', 'digest-missing')
    }),
    name: 'schemes-rfc9421-without-signature-input-where-both-are-allowed'
  }
]
