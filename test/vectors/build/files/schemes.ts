import { vector } from '../recipe.ts'
import { RSA_NAME, vector as rfc9421Vector } from '../recipe-rfc9421.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

export const CHOICE =
  'fixtures/README.md, two standards: a request with Signature-Input is judged by RFC 9421 where that is allowed'

const SIGNATURE_INPUT = ['Signature-Input', `sig1=("@method");keyid="${RSA_NAME}"`] as const

/** What the draft judges though RFC 9421 is near; what RFC 9421 judges is in rfc9421.json. */
export const source = CHOICE
export const vectors = [
  vector('schemes-draft-where-both-are-allowed', VERIFIED, {
    options: { schemes: ['rfc9421', 'draft-cavage'] }
  }),
  vector('schemes-draft-with-signature-input-where-the-draft-alone-is-allowed', VERIFIED, {
    received: { add: [SIGNATURE_INPUT] }
  }),
  {
    ...rfc9421Vector('where-the-draft-alone-is-allowed', rejected('signature-malformed', 'digest-missing'), {
      options: { schemes: ['draft-cavage'] }
    }),
    name: 'schemes-rfc9421-where-the-draft-alone-is-allowed'
  },
  {
    ...rfc9421Vector(
      'without-signature-input-where-both-are-allowed',
      rejected('signature-malformed', 'digest-missing'),
      {
        header: () => ({ input: null }),
        options: { schemes: ['draft-cavage', 'rfc9421'] }
      }
    ),
    name: 'schemes-rfc9421-without-signature-input-where-both-are-allowed'
  }
]
