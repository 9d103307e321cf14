import { parseCommands } from '../../cli/captures/command-words.ts'
import { readCapture } from '../../cli/captures/read-capture.ts'
import { explainCapture, missingSettings } from '../../cli/explain/explain-capture.ts'
import { FLAGS } from '../../cli/explain/flags.ts'
import { OTHERS } from '../../cli/flags.ts'
import { omit } from '../../flags/flag.ts'
import { parseFlags } from '../../flags/parse.ts'
import { inFlags } from '../../flags/table.ts'
import { UsageError } from '../../flags/usage-error.ts'
import { dohTxtLookup } from '../../src/doh/index.ts'
import type { Code, Diagnosis } from '../../src/index.ts'
import { asciiJson, escapeText, explainDiagnosis, type Line, messageIn } from '../../src/internal/index.ts'

/** Holds the form as a person has filled it in. An empty field has no member. */
export interface Question {
  readonly capture: Uint8Array<ArrayBuffer>
  /** the fields that are flags of the command, by the name of the flag */
  readonly fields: Readonly<Record<string, string>>
  /** other flags, as they are written on a command line */
  readonly more: string
}

/** A capture does not have these settings; each is given by the name of its field. */
export type Missing = 'domain' | 'host' | 'account'

export type Answer =
  | {
      readonly kind: 'explained'
      readonly status: Diagnosis['status']
      readonly headline: string
      readonly notes: readonly string[]
      readonly failures: Diagnosis['failures']
      /** the output of the command, in lines */
      readonly lines: readonly Line[]
      /** the output of the command with `--json` */
      readonly json: string
    }
  | { readonly kind: 'missing'; readonly fields: readonly Missing[] }
  | { readonly kind: 'mistake'; readonly message: string }

/** A page has no DNS server and no files; the answer always has the JSON. */
const PAGE_FLAGS = omit(FLAGS, 'servers', 'body', 'json')

const SYNTAX = { name: 'this page', flags: PAGE_FLAGS, variables: 'shared', others: { ...OTHERS, ...FLAGS } } as const

const FIELD_OF = { serviceDomain: 'domain', hosts: 'host', accounts: 'account' } as const

async function answer(question: Question): Promise<Answer> {
  try {
    return await explain(question)
  } catch (error) {
    // The command's own message. The text of any other error may come from the browser.
    const isMistake = error instanceof UsageError || error instanceof TypeError
    const message = isMistake ? messageIn(error, inFlags) : `the capture could not be explained: ${String(error)}`
    return { kind: 'mistake', message: escapeText(message, 1000) }
  }
}

async function explain({ capture, fields, more }: Question): Promise<Answer> {
  const flags = flagsOf(fields, more)
  const entries = readCapture(Buffer.from(capture.buffer))
  const missing = missingSettings(entries, flags)
  if (missing.length > 0) return { kind: 'missing', fields: missing.map(name => FIELD_OF[name]) }
  const { status, keySource, notes, diagnosis, data } = await explainCapture(entries, flags, {
    lookupTxt: browserLookup(flags),
    isOffline: true
  })
  return {
    kind: 'explained',
    status,
    headline: diagnosis.headline,
    notes,
    failures: diagnosis.failures,
    lines: [...(keySource === undefined ? [] : [keySource]), ...explainDiagnosis(diagnosis)],
    json: asciiJson(data)
  }
}

/** Parses the fields as the command parses its flags. @throws UsageError */
function flagsOf(fields: Question['fields'], more: string) {
  const args = Object.entries(fields).map(([flag, text]) => `--${flag}=${text}`)
  const words = parseCommands(more.trim()).flat()
  for (const { problem } of words) if (problem !== undefined) throw new UsageError(`the text of More flags ${problem}`)
  const given = parseFlags([...args, ...words.map(({ text }) => text)], {}, SYNTAX)
  if (given.asked !== undefined) throw new UsageError(`this page does not take --${given.asked}`)
  return { ...given.values, servers: undefined, body: undefined, json: undefined }
}

/** Sends no preflight request: a resolver need not support browsers. */
const fetchPlainly = (url: string | URL | Request, { signal }: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    headers: { accept: 'application/dns-message' },
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    redirect: 'manual',
    ...(signal && { signal })
  })

function browserLookup({ url, requireAuthenticated }: ReturnType<typeof flagsOf>) {
  if (url === undefined) return undefined
  return dohTxtLookup({
    url,
    method: 'GET',
    fetch: fetchPlainly,
    ...(requireAuthenticated && { requireAuthenticated })
  })
}

/** Each code of an answer has a page. */
export type { Code }

addEventListener('message', async ({ data }: MessageEvent<Question>) => postMessage(await answer(data)))
