import { Readable } from 'node:stream'
import type { ReceivedRequest } from '../http/request.ts'
import type { LookupTxt } from '../key/dns.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { VectorFile, VectorJson } from '../testing/vector-form.ts'
import { UsageError } from './usage.ts'

/** A request from a fixture, and everything around it that the fixture says. */
export interface Fixture {
  request: ReceivedRequest
  options: Partial<VerifierOptions>
}

/** Reads a fixture document, or one vector alone. A document of several needs a name. */
export function readFixture(text: string, name: string | undefined): Fixture {
  const vector = chooseVector(parse(text), name)
  const { request, options = {}, dns, now, accountsError, replayStore } = vector
  if (!isObject(request) || !isObject(options))
    throw new UsageError('the fixture has no request, or its options are no object')
  return {
    request: { ...request, body: bodyOf(request.body) },
    options: {
      ...options,
      ...(dns !== undefined && { lookupTxt: lookupIn(dns) }),
      ...(now !== undefined && { now: () => Date.parse(now) }),
      ...(accountsError && { accounts: () => Promise.reject(new Error('accountsError')) }),
      ...(replayStore !== undefined && { replayStore: storeOf(replayStore) })
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('the file begins like JSON, and is none')
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

type Vector = Partial<VectorJson>

function chooseVector(json: unknown, name: string | undefined): Vector {
  const vectors: unknown = (json as Partial<VectorFile>).vectors ?? [json]
  if (!Array.isArray(vectors) || !vectors.every(isObject))
    throw new UsageError('vectors must be an array of objects')
  const all: readonly Vector[] = vectors
  const [chosen, ...others] = name === undefined ? all : all.filter(vector => vector.name === name)
  if (chosen !== undefined && others.length === 0) return chosen
  if (all.length === 0) throw new UsageError('the fixture has no vectors')
  const names = all.map(vector => vector.name).join(', ')
  throw new UsageError(
    name === undefined ? `--vector is missing: one of ${names}` : `there is no vector ${name} among ${names}`
  )
}

function bodyOf(body: VectorJson['request']['body'] | undefined): ReceivedRequest['body'] {
  if (body === undefined || body === null) return null
  if ('error' in body) return Readable.from(brokenOff(body.error))
  return 'utf8' in body ? Buffer.from(body.utf8, 'utf8') : Buffer.from(body.base64, 'base64')
}

async function* brokenOff(code: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{')
  throw failure(code)
}

function lookupIn(dns: VectorJson['dns']): LookupTxt {
  return async name => {
    const answer = Object.hasOwn(dns, name) ? dns[name]! : { error: 'ENOTFOUND' }
    if ('error' in answer) throw failure(answer.error)
    return answer.map(record => [...record])
  }
}

function storeOf(state: NonNullable<VectorJson['replayStore']>): ReplayStore {
  return {
    claim: async () => {
      if (state === 'error') throw failure('ECONNREFUSED')
      return state === 'empty'
    },
    release: async () => {}
  }
}

const failure = (code: string | null): Error =>
  code === null ? new Error('no code') : Object.assign(new Error(code), { code })
