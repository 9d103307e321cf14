import type { Code, Digest, Failed, KeyRecord, PublicKey, Result, SignatureParameters } from 'signed-requests'
import * as steps from 'signed-requests'
import { expectTypeOf } from 'vitest'

expectTypeOf(steps.parseSignatureHeader).toEqualTypeOf<(value: string) => Result<SignatureParameters>>()
expectTypeOf(steps.parseDigestHeader).toEqualTypeOf<(value: string) => Result<readonly Digest[]>>()
expectTypeOf(steps.parseHttpDate).toEqualTypeOf<(value: string) => Result<Date>>()
expectTypeOf(steps.parseKeyRecord).toEqualTypeOf<(record: string | readonly string[]) => Result<KeyRecord>>()
expectTypeOf(steps.importPublicKey).returns.toEqualTypeOf<Result<PublicKey>>()
expectTypeOf(steps.buildSigningString).returns.toEqualTypeOf<Result<string>>()
expectTypeOf(steps.matchesDigest).returns.toEqualTypeOf<boolean>()
expectTypeOf(steps.verifySignature).returns.toEqualTypeOf<boolean>()
expectTypeOf(steps.httpStatus).returns.toMatchTypeOf<number>()

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
    expectTypeOf(result.evidence).toEqualTypeOf<{ received: string; reason: string }>()
  }
  // @ts-expect-error there is no value
  result.value
}
