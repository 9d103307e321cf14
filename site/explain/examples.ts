import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { VectorJson } from '../../src/testing/index.ts'

/** The fields of the form, by their ids. */
export interface Example {
  readonly title: string
  readonly fields: Readonly<Record<string, string>>
  readonly isRfc9421: boolean
}

/** Good and forged requests to try, each a vector of `fixtures/`. */
const EXAMPLES: readonly (readonly [title: string, file: string, vector: string])[] = [
  ['a good request', 'verified', 'verified-as-in-the-specification'],
  ['a body that was written again', 'digest', 'digest-body-reserialized'],
  ['a path that a proxy changed', 'signature', 'signature-prefix-removed-by-a-proxy'],
  ['another key', 'signature', 'signature-by-another-key'],
  ['an old request', 'date', 'date-too-old'],
  ['another host', 'host', 'host-of-another-receiver'],
  ['a withdrawn key', 'key', 'key-revoked'],
  ['RFC 9421', 'rfc9421', 'rfc9421-rsa-pss-sha512']
]

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url))

export const loadExamples = (): Example[] =>
  EXAMPLES.map(([title, file, name]) => {
    const { vectors } = JSON.parse(readFileSync(`${FIXTURES}${file}.json`, 'utf8')) as { vectors: VectorJson[] }
    const vector = vectors.find(vector => vector.name === name)
    if (vector === undefined) throw new Error(`fixtures/${file}.json has no vector ${name}`)
    return exampleOf(title, vector)
  })

function exampleOf(title: string, { request, options, dns, now }: VectorJson): Example {
  const { method, target, headers, body } = request
  const lines = (headers as readonly (readonly [string, string])[]).map(line => line.join(': '))
  const text = body !== null && 'utf8' in body ? body.utf8 : ''
  const records = Object.values(dns).flatMap(answer =>
    'error' in answer ? [] : answer.map(strings => strings.join(''))
  )
  return {
    title,
    fields: {
      capture: [`${method} ${target} HTTP/1.1`, ...lines, '', text].join('\n'),
      domain: options.serviceDomain,
      host: [options.hosts].flat().join(', '),
      account: [options.accounts].flat().join(', '),
      'key-record': records[0] ?? '',
      now
    },
    isRfc9421: options.schemes?.includes('rfc9421') === true
  }
}
