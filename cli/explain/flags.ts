import { omit, type Values } from '../../flags/flag.ts'
import { SHARED, UNSHARED } from '../../flags/table.ts'
import { ENTRY_FLAG } from '../captures/choose-entry.ts'
import { JSON_FLAG } from '../flags.ts'

/**
 * The receiver. Its requireHttps is a value of --https; a capture arrives at once, and there is no replay store, so
 * their timeouts would mean nothing.
 */
export const RECEIVER = omit(SHARED, 'requireHttps', 'bodyTimeout', 'replayTimeout')

/** Flags for facts that a capture does not hold. */
const CONTEXT = {
  prefix: UNSHARED.prefix,
  http: { flag: 'http', kind: 'switch', about: 'the request arrived without TLS' },
  now: {
    flag: 'now',
    kind: 'text',
    value: 'TIME',
    about:
      'verify as of this time, such as 2026-11-20T12:00:00Z; "date" takes the request\'s Date and does not check it',
    fallback: "the capture's time, else now"
  },
  keyRecord: {
    flag: 'key-record',
    kind: 'list',
    value: 'TEXT',
    about: 'use these TXT records: text, quoted strings, or lines of a zone file',
    fallback: 'ask DNS'
  },
  trustFileDns: {
    flag: 'trust-file-dns',
    kind: 'switch',
    about: "trust the DNS answers in a fixture (the file's author may also have made the key)"
  },
  body: { flag: 'body', kind: 'text', value: 'FILE', about: 'read the body from this file, if the capture lacks it' }
} as const

/** Flags for a log, and for a recorder's directory. */
const INCIDENTS = {
  since: {
    flag: 'since',
    kind: 'text',
    value: 'TIME|DURATION',
    about: 'with a log or a directory: ignore requests before this, such as 2026-11-24T03:00:00Z, 90s, 10m, 12h or 7d'
  }
} as const

const CHOICE = {
  entry: ENTRY_FLAG,
  vector: { flag: 'vector', kind: 'text', value: 'NAME', about: 'use this vector of a fixture' },
  json: JSON_FLAG
} as const

export const FLAGS = { ...RECEIVER, ...CONTEXT, ...INCIDENTS, ...CHOICE } as const

export type Flags = Values<typeof FLAGS>
