import {
  buildSigningString,
  type Code,
  type Digest,
  type Failed,
  httpStatus,
  importPublicKey,
  type KeyRecord,
  matchesDigest,
  type PublicKey,
  parseDigestHeader,
  parseHttpDate,
  parseKeyRecord,
  parseSignatureHeader,
  type Result,
  type SignatureParameters,
  verifySignature
} from 'signed-requests'
import { expectTypeOf } from 'vitest'

expectTypeOf(parseSignatureHeader).toEqualTypeOf<(value: string) => Result<SignatureParameters>>()
expectTypeOf(parseDigestHeader).toEqualTypeOf<(value: string) => Result<readonly Digest[]>>()
expectTypeOf(parseHttpDate).toEqualTypeOf<(value: string) => Result<Date>>()
expectTypeOf(parseKeyRecord).toEqualTypeOf<(record: string | readonly string[]) => Result<KeyRecord>>()
expectTypeOf(importPublicKey).returns.toEqualTypeOf<Result<PublicKey>>()
expectTypeOf(buildSigningString).returns.toEqualTypeOf<Result<string>>()
expectTypeOf(matchesDigest).returns.toEqualTypeOf<Result<true>>()
expectTypeOf(verifySignature).returns.toEqualTypeOf<boolean>()
expectTypeOf(httpStatus).returns.toMatchTypeOf<number>()

/** `ok` tells whether there is a value or a code. */
export function byOk(result: Result<Date>) {
  // @ts-expect-error not before it is known to be ok
  result.value
  if (result.ok) {
    expectTypeOf(result).toEqualTypeOf<{ ok: true; value: Date }>()
    return
  }
  expectTypeOf(result).toEqualTypeOf<Failed>()
  expectTypeOf(result.code).toEqualTypeOf<Code>()
  expectTypeOf(result.message).toEqualTypeOf<string>()
  if (result.code === 'date-malformed') {
    expectTypeOf(result.evidence).toEqualTypeOf<{ received: string }>()
  }
  // @ts-expect-error there is none
  result.value
}
