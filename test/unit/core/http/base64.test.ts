import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../../../src/core/http/base64.ts'
import { isCanonical, spellings } from '../../../support/spellings.ts'
import { unicode } from '../../properties/arbitraries.ts'

/** Only the encoder's own output is canonical. */
function isRight(text: string): boolean {
  const bytes = decodeBase64(text)
  if (!isCanonical(text)) return bytes === undefined
  return bytes !== undefined && Buffer.from(bytes).toString('base64') === text
}

test('decodes each character at each place, and accepts no other', () => {
  let accepted = 0
  for (const text of spellings()) {
    if (!isRight(text)) expect.fail(`${JSON.stringify(text)} is misread`)
    if (isCanonical(text)) accepted += 1
  }
  // All 64 characters fit six positions, 16 and 4 of them one each, besides the padding behind AA=.
  expect(accepted).toBe(6 * 64 + 16 + 4 + 1 + 3)
})

test('accepts exactly the canonical ones of all short texts of chosen characters', () => {
  const characters = ['A', 'B', 'Q', '/', '=', '-', '\u0141']
  let texts = ['']
  for (let length = 0; length <= 5; length++) {
    for (const text of texts) if (!isRight(text)) expect.fail(`${JSON.stringify(text)} is misread`)
    texts = texts.flatMap(text => characters.map(character => text + character))
  }
})

test('accepts the output of an encoder, and a text one character away only if it is canonical', () => {
  const character = fc.constantFrom(...'AQz+/=-_ \n\t"\\.\0\x80\xff\u0141\u2060\ud800')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), fc.nat(), character, (bytes, place, other) => {
      const text = encodeBase64(bytes)
      const at = place % (text.length + 1)
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      const inserted = text.slice(0, at) + other + text.slice(at)
      const removed = text.slice(0, at) + text.slice(at + 1)
      return [text, changed, inserted, removed].every(isRight) && isCanonical(text)
    }),
    { numRuns: 500 }
  )
})

test('accepts any text exactly when it is canonical', () => fc.assert(fc.property(unicode(), isRight)))
