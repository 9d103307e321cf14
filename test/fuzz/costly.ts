import type { Random } from './random.ts'

/** Bodies are made of these: texts that once made a search slow, and texts that each of its steps reads. */
const TEXTS = [
  ...'[]{}",:\\/\n\r\t 01-.eaZ+%&=!~<',
  '\\"',
  '\\u00e9',
  '\\u0001',
  '\\ud83d',
  '\\ude00',
  '\\/',
  '\r\n',
  '[]',
  '{}',
  '1,',
  '1]',
  '-1.5,',
  '"a":',
  '%2b',
  '%5B',
  'é',
  '€',
  '😀',
  '\ufeff',
  '\ufffd',
  'YWFh',
  'null,'
]

/** These bytes are not UTF-8, or begin a character. */
const BYTES = [[0x80], [0xe2], [0xef], [0xef, 0xbf], [0xf0, 0x9f, 0x98]]

const PIECES = [...TEXTS.map(text => Buffer.from(text)), ...BYTES.map(bytes => Buffer.from(bytes))]

/** Documents begin and end so, and only these are parsed. */
const FRAMES = [
  ['[', ']'],
  ['"', '"'],
  ['["', '"]'],
  ['{"a":', '}'],
  ['a=', ''],
  ['\ufeff', '\n']
].map(parts => parts.map(part => Buffer.from(part)))

const fill = (unit: Buffer, length: number): Buffer => Buffer.alloc(length, unit)

/** A search does most at these lengths, besides those at its limits. */
const lengthOf = (random: Random, max: number): number =>
  Math.min(max, random.chance(0.3) ? random.pick([16_383, 16_384, 16_385, 65_536]) : 2 ** random.below(17))

/** Repeats one piece, in each frame. */
function* seeds(max: number): Generator<Buffer> {
  for (const length of new Set([4000, 16_384].map(length => Math.min(length, max)))) {
    for (const piece of PIECES) {
      yield fill(piece, length)
      for (const [start, end] of FRAMES as [Buffer, Buffer][])
        yield Buffer.concat([start, fill(piece, length - start.length - end.length), end])
    }
  }
}

function mutateOnce(body: Buffer, random: Random, others: readonly Buffer[], max: number): Buffer {
  const [a, b] = [random.below(body.length + 1), random.below(body.length + 1)]
  const [from, to] = [Math.min(a, b), Math.max(a, b)]
  const [before, part, after] = [body.subarray(0, from), body.subarray(from, to), body.subarray(to)]
  const unit = random.chance(0.5) && part.length > 0 ? part.subarray(0, 1 + random.below(8)) : random.pick(PIECES)
  const other = random.pick(others)
  const [start, end] = random.pick(FRAMES) as [Buffer, Buffer]
  const shared = body.subarray(0, Math.max(0, max - start.length - end.length))
  return random
    .pick<() => Buffer>([
      () => Buffer.concat([before, unit, after]),
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, part, part, after]),
      () => Buffer.concat([before, fill(unit, part.length), after]),
      () => Buffer.concat([body.subarray(0, a), unit, body.subarray(a + unit.length)]),
      () => Buffer.concat([before, other.subarray(random.below(other.length + 1))]),
      () => Buffer.concat([before, Buffer.from(part.map(() => random.below(256))), after]),
      () => fill(body.length > 0 ? body : unit, lengthOf(random, max)),
      () => Buffer.concat([start, shared, end])
    ])()
    .subarray(0, max)
}

/** A body that was tried, and its cost. */
export interface Costly {
  body: Buffer
  cost: number
}

const KEPT = 24

/**
 * Looks for the most expensive bodies, and returns the worst first: repeats each piece, keeps the bodies that cost
 * most, and changes them, until `isDone`.
 */
export function findCostly(
  random: Random,
  maxLength: number,
  costOf: (body: Buffer) => number,
  isDone: () => boolean
): readonly Costly[] {
  let kept: Costly[] = []
  const keep = (body: Buffer) => {
    kept = [...kept, { body, cost: costOf(body) }].sort((x, y) => y.cost - x.cost).slice(0, KEPT)
  }
  for (const body of seeds(maxLength)) if (!isDone()) keep(body)
  while (!isDone()) {
    let { body } = random.pick(kept)
    const others = kept.map(costly => costly.body)
    for (let i = random.below(4); i >= 0; i--) body = mutateOnce(body, random, others, maxLength)
    keep(body)
  }
  return kept
}
