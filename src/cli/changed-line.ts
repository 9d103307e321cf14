import { openSignature } from '../explain/opened-signature.ts'
import { base64Digest } from '../http/hash.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { parseKey } from '../key/import.ts'
import { computationFor } from '../signature/algorithms.ts'
import { verifySignature } from '../signature/verify-signature.ts'
import type { EvidenceByCode } from '../verdict/evidence.ts'

/** A line of the signing string as it was received, and as it was when it was signed. */
export interface ChangedLine {
  /** from 1 */
  line: number
  received: string
  signed: string
}

/** Trying every byte of a longer signing string takes too long. */
const MAX_LENGTH = 2000

/**
 * Finds the one line that was changed after the key made its signature. It tries what proxies do to lines and, for
 * RSASSA-PKCS1-v1_5, whose signatures show their hash, every change of one character. For PSS and Ed25519 each try is a
 * whole verification, so only the values that the capture itself suggests are tried: an original in a forwarding
 * header, a configured host, another spelling of the path.
 */
export function findChangedLine(
  evidence: EvidenceByCode['signature-mismatch'],
  request: ReceivedRequest,
  hosts: readonly string[]
): ChangedLine | undefined {
  const opened = openSignature(evidence)
  const wasSigned =
    opened === undefined
      ? verifier(evidence)
      : (text: string) => base64Digest(opened.algorithm, Buffer.from(text, 'latin1')) === opened.hash
  if (wasSigned === undefined) return undefined

  const lines = evidence.signingString.split('\n')
  const tryEach = (alternatives: (line: string) => Iterable<string>): ChangedLine | undefined => {
    for (const [i, received] of lines.entries()) {
      const before = lines.slice(0, i)
      const after = lines.slice(i + 1)
      for (const signedLine of alternatives(received)) {
        const text = [...before, signedLine, ...after].join('\n')
        if (wasSigned(text)) return { line: i + 1, received, signed: signedLine }
      }
    }
    return undefined
  }
  const byProxy = tryEach(line => linesBeforeProxy(line, request, hosts))
  if (byProxy !== undefined || opened === undefined || evidence.signingString.length > MAX_LENGTH)
    return byProxy
  return tryEach(oneCharacterAway)
}

/** Undefined for an RSASSA-PKCS1-v1_5 signature that does not open: another key made it. */
function verifier({
  record,
  signature,
  algorithm
}: EvidenceByCode['signature-mismatch']): ((text: string) => boolean) | undefined {
  const parsed = parseKey(record)
  if (!parsed.ok) return undefined
  const { key } = parsed.value
  const computation = computationFor(algorithm.toLowerCase(), key.type)
  if (computation === undefined || (key.type === 'rsa' && computation.options === undefined)) return undefined
  const bytes = Buffer.from(signature, 'base64')
  return text => verifySignature(text, bytes, key, algorithm)
}

/** Forwarding headers of one kind that are tried: for PSS and Ed25519 each costs some verifications. */
const MAX_FORWARDED = 10

const ORIGINAL_TARGETS = ['x-original-uri', 'x-original-url', 'x-forwarded-uri', 'x-rewrite-url']
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const CHARSETS = ['', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8']

/** What the line may have been before a proxy, a framework or a parser re-serialized it. */
function linesBeforeProxy(line: string, request: ReceivedRequest, hosts: readonly string[]): string[] {
  const colon = line.indexOf(': ', 1)
  const name = line.slice(0, colon)
  return valuesBefore(name.replace(/^"|"$/g, ''), line.slice(colon + 2), request, hosts).map(
    value => `${name}: ${value}`
  )
}

function valuesBefore(
  name: string,
  value: string,
  { headers, body }: ReceivedRequest,
  hosts: readonly string[]
): string[] {
  const lines = [...(headers as Iterable<readonly [string, string]>)]
  const forwarded = (...names: string[]) =>
    lines
      .filter(([header]) => names.includes(header.toLowerCase()))
      .slice(0, MAX_FORWARDED)
      .map(([, original]) => original)

  switch (name) {
    case '(request-target)': {
      const [method = '', target = ''] = value.split(/ (.*)/s)
      const originals = forwarded(...ORIGINAL_TARGETS)
      const prefixed = forwarded('x-forwarded-prefix').map(prefix => prefix + target)
      const targets = [target, ...originals, ...prefixed, ...spellings(target)]
      return targets.flatMap(spelling => [method, ...METHODS].map(verb => `${verb} ${spelling}`))
    }
    case '@method':
      return METHODS.map(verb => verb.toUpperCase())
    case '@request-target':
    case '@path':
      return [
        ...forwarded(...ORIGINAL_TARGETS),
        ...forwarded('x-forwarded-prefix').map(prefix => prefix + value),
        ...spellings(value)
      ]
    case '@scheme':
      return ['https', 'http']
    case 'host':
    case '@authority':
      return [...hosts, ...forwarded('x-forwarded-host', 'x-original-host')]
    case 'content-length':
      return body instanceof Uint8Array ? [String(body.length)] : []
    case 'content-type':
      return CHARSETS.map(charset => value.replace(/;.*/s, '') + charset)
    default:
      return []
  }
}

/** A path decoded or encoded once too often. */
function spellings(target: string): string[] {
  try {
    return [decodeURI(target), decodeURIComponent(target), encodeURI(target)]
  } catch {
    return []
  }
}

/** Every line that one changed, removed or added printable character makes. */
function* oneCharacterAway(line: string): Generator<string> {
  const start = line.indexOf(': ', 1) + 2
  for (let at = start; at <= line.length; at++) {
    const before = line.slice(0, at)
    const after = line.slice(at + 1)
    yield before + after
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code)
      yield before + character + after
      yield before + character + line.slice(at)
    }
  }
}
