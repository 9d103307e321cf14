/**
 * The order in which one of several processes takes what all of them take: every other at the same time as the rest,
 * and those between from a place of its own, so that being first does not win all of them.
 *
 * @param first where its own begin; an even number, as `count` is
 */
export const inOrder = (count: number, first: number): number[] =>
  Array.from({ length: count }, (_, n) => (n % 2 === 0 ? n : (n + first) % count))
