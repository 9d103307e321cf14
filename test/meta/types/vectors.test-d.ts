import type { VectorCheck, VectorOptions } from 'signed-requests-vectors'
import { expectTypeOf } from 'vitest'
import type { CheckName } from '../../../src/core/result/codes.ts'
import type { VectorOptions as WrittenOptions } from '../../../src/fixture/vector.ts'

// The package of the vectors has types of its own, because it depends on nothing. The compiler is the test.

expectTypeOf<keyof VectorOptions>().toEqualTypeOf<keyof WrittenOptions>()
expectTypeOf<VectorCheck>().toEqualTypeOf<CheckName>()
