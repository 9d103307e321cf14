import { createHash, hash, type KeyObject, verify } from 'node:crypto'
import type { Contender } from './rounds.ts'
import type { Sample } from './sample.ts'

/** Does the two operations that no receiver can leave out, with their input prepared. */
export function hashAndVerify(
  body: Uint8Array,
  signingString: Uint8Array,
  key: KeyObject,
  signature: Uint8Array
): boolean {
  hashBody(body)
  return verify('RSA-SHA256', signingString, key, signature)
}

export function floor({ inTurn, key }: Sample): Contender {
  return {
    name: 'floor: hash the body, verify the signature',
    run(times) {
      for (let i = 0; i < times; i++) {
        const { request, signingString, signature } = inTurn[i % inTurn.length]!
        if (!hashAndVerify(request.body, signingString, key, signature)) throw new Error('the baseline failed')
      }
    }
  }
}

/** Does the same on Node's thread pool, with this many operations at once. */
export function floorOnThreadPool(sample: Sample, inFlight: number): Contender {
  const { body } = sample.request
  const one = () =>
    new Promise<void>((resolve, reject) => {
      hashBody(body)
      verify('RSA-SHA256', sample.signingString, sample.key, sample.signature, (error, good) =>
        good ? resolve() : reject(error ?? new Error('the baseline failed'))
      )
    })
  return {
    name: `floor on the thread pool, ${inFlight} in flight`,
    async run(times) {
      for (let done = 0; done < times; done += inFlight) {
        await Promise.all(Array.from({ length: Math.min(inFlight, times - done) }, one))
      }
    }
  }
}

const hashBody: (body: Uint8Array) => unknown =
  typeof hash === 'function' ? body => hash('sha256', body) : body => createHash('sha256').update(body).digest('hex')
