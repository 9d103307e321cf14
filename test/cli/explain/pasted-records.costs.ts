import { expect, test } from 'vitest'
import { parsePastedRecords } from '../../../cli/explain/pasted-records.ts'
import { cpuTime } from '../../support/cpu-time.ts'

test.each(['"', '"\\', '(', 'a ', ' ', '1 ', '"\n', ';\n', 'a TXT "b"\n'])(
  'reads eight times as many repetitions of %j in less than thirty times the time',
  async piece => {
    const cost = (length: number) => cpuTime(() => parsePastedRecords(piece.repeat(length / piece.length)))
    let growth = Number.POSITIVE_INFINITY
    // Garbage collection can spoil a measurement, but not six. A quadratic parser takes 64 times as long.
    for (let attempt = 0; attempt < 6 && growth >= 30; attempt++)
      growth = (await cost(400_000)) / Math.max(await cost(50_000), 0.5)
    expect(growth).toBeLessThan(30)
  }
)
