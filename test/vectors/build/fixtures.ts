import { readFileSync } from 'node:fs'
import { SCHEMA_VERSION } from '../vector-form.ts'
import * as account from './files/account.ts'
import * as coverage from './files/coverage.ts'
import * as date from './files/date.ts'
import * as digest from './files/digest.ts'
import * as dns from './files/dns.ts'
import { APPENDIX_C } from './files/draft-cavage-appendix-c.ts'
import * as host from './files/host.ts'
import * as https from './files/https.ts'
import * as key from './files/key.ts'
import * as keyName from './files/key-name.ts'
import * as keyRecords from './files/key-records.ts'
import * as replay from './files/replay.ts'
import * as request from './files/request.ts'
import * as rfc9421 from './files/rfc9421.ts'
import { RFC9421_EXAMPLES } from './files/rfc9421-examples.ts'
import * as schemes from './files/schemes.ts'
import * as severalFailures from './files/several-failures.ts'
import * as signature from './files/signature.ts'
import * as signatureHeader from './files/signature-header.ts'
import * as verified from './files/verified.ts'
import { withExampleMetadata, withMetadata, withSigningMetadata } from './metadata.ts'
import { type Files, generatedTables } from './rules/table.ts'

const FILES: Files = {
  request,
  https,
  date,
  host,
  account,
  'signature-header': signatureHeader,
  coverage,
  'key-name': keyName,
  key,
  'key-records': keyRecords,
  dns,
  signature,
  digest,
  replay,
  'several-failures': severalFailures,
  verified,
  schemes,
  rfc9421
}

const HEAD = { $schema: './schema.json', schema_version: SCHEMA_VERSION }

/** Every fixture by file name, as text. The same text every time. */
export function buildFixtures(): Map<string, string> {
  const files = new Map<string, string>()
  for (const [name, { source, vectors }] of Object.entries(FILES)) {
    files.set(`${name}.json`, write({ ...HEAD, source, vectors: vectors.map(withMetadata) }))
  }
  files.set(
    'draft-cavage-appendix-c.json',
    write({ ...HEAD, ...APPENDIX_C, vectors: APPENDIX_C.vectors.map(withSigningMetadata) })
  )
  files.set(
    'rfc9421-examples.json',
    write({ ...HEAD, ...RFC9421_EXAMPLES, vectors: RFC9421_EXAMPLES.vectors.map(withExampleMetadata) })
  )
  files.set('README.md', withTable(readFileSync(README, 'utf8')))
  return files
}

const README = new URL('../../../fixtures/README.md', import.meta.url)

/** The page is written by hand, except for what stands between the markers. */
const withTable = (page: string): string =>
  page.replace(
    /(<!-- rules -->\n)[\s\S]*(<!-- \/rules -->)/,
    (_, start, end) => `${start}\n${generatedTables(FILES)}\n\n${end}`
  )

const write = (value: unknown): string => `${writeJson(value, '')}\n`

/** JSON on as few lines as can be read: what fits on a line stands on one. */
function writeJson(value: unknown, indent: string): string {
  const flat = writeFlat(value)
  const fits = indent.length + flat.length <= 110 && indent.length > 4
  if (fits || typeof value !== 'object' || value === null) return flat

  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map(each => inner + writeJson(each, inner))
    : Object.entries(value).map(([key, each]) => `${inner}${writeFlat(key)}: ${writeJson(each, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length === 0 ? flat : `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

function writeFlat(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeFlat).join(', ')}]`
  if (typeof value !== 'object' || value === null) return escapeNonAscii(JSON.stringify(value))
  const entries = Object.entries(value).map(([key, each]) => `${writeFlat(key)}: ${writeFlat(each)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** So that every octet is seen. */
const escapeNonAscii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
