import { describe, expect, test } from 'vitest'
import { withoutTones } from '../../../src/explain/text.ts'
import { explainDiagnosis } from '../../../src/internal/index.ts'
import { FORMATS } from '../../../test/cli/captures/build.ts'
import { SENT } from '../../../test/cli/captures/curl-facts.ts'
import { HOSTILE } from '../../../test/cli/captures/hostile-captures.ts'
import { RECEIVER, RECORD } from '../../../test/support/explain.ts'
import { runInside } from '../../../test/support/run-cli.ts'
import { service, withHeaders } from '../../../test/support/service.ts'
import { loadVectors } from '../../../test/support/vectors.ts'
import type { Answer } from '../../explain/worker.ts'
import { useExplain } from './open-explain.ts'

/** A capture, with the fields of the form, which are flags of the command. */
interface Case {
  readonly name: string
  readonly content: string | Uint8Array
  readonly fields: Readonly<Record<string, string>>
}

/** Holds the output for a person; a mistake is a line on stderr alone. */
interface Printed {
  readonly text: string
  readonly stderr: string
  readonly json: string
}

/** Searches for changed lines take seconds each on a busy machine. */
const TIMEOUT = 900_000

const explain = useExplain()

/** Runs each case in the page's program, in a worker of the browser; returns the milliseconds of each. */
async function askBrowser(cases: readonly Case[]): Promise<(Printed & { readonly milliseconds: number })[]> {
  const { page, troubles, close } = await explain.open({ bypassCSP: true })
  const questions = cases.map(({ content, fields }) => ({
    capture: Buffer.from(content as string).toString('base64'),
    fields
  }))
  const answers: { answer: Answer; milliseconds: number }[] = await page.evaluate(async questions => {
    const packed = atob(document.getElementById('worker')!.textContent!)
    const bytes = Uint8Array.from(packed, character => character.charCodeAt(0))
    const code = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
    const program = URL.createObjectURL(await new Response(code).blob())
    const found: { answer: Answer; milliseconds: number }[] = []
    let next = 0
    const work = async () => {
      const worker = new Worker(program)
      for (let i = next++; i < questions.length; i = next++) {
        const { capture, fields } = questions[i]!
        const bytes = Uint8Array.from(atob(capture), character => character.charCodeAt(0))
        const start = performance.now()
        const answer = await new Promise<Answer>((resolve, reject) => {
          worker.onmessage = ({ data }) => resolve(data)
          worker.onerror = ({ message }) => reject(new Error(message))
          worker.postMessage({ capture: bytes, fields, more: '' })
        })
        found[i] = { answer, milliseconds: performance.now() - start }
      }
    }
    await Promise.all([work(), work()])
    return found
  }, questions)
  expect(troubles).toEqual([])
  await close()
  return answers.map(({ answer, milliseconds }) => ({ ...printed(answer), milliseconds }))
}

function printed(answer: Answer): Printed {
  if (answer.kind === 'mistake') return { text: '', stderr: `signed-requests: ${answer.message}\n`, json: '' }
  if (answer.kind === 'missing') return { text: '', stderr: `missing: ${answer.fields}`, json: '' }
  const { lines, notes, json } = answer
  return { text: withoutTones(lines), stderr: notes.map(note => `note: ${note}\n`).join(''), json }
}

const flagsOf = (fields: Case['fields']) => Object.entries(fields).map(([flag, text]) => `--${flag}=${text}`)

/** Runs the command twice. */
async function askCommand({ content, fields }: Case): Promise<Printed> {
  const { stdout, stderr } = await runInside(['explain', ...flagsOf(fields)], content)
  const { stdout: json } = await runInside(['explain', ...flagsOf(fields), '--json'], content)
  return { text: stdout.trimEnd(), stderr, json: json.trimEnd() }
}

/** Compares the whole output; returns the milliseconds of each answer of the browser. */
async function expectSame(cases: readonly Case[], askOther: (one: Case) => Promise<Printed>): Promise<number[]> {
  const found = await askBrowser(cases)
  const differing = []
  for (const [i, one] of cases.entries()) {
    const { milliseconds, ...browser } = found[i]!
    const command = await askOther(one)
    if (JSON.stringify(browser) !== JSON.stringify(command)) differing.push({ name: one.name, browser, command })
  }
  expect(differing).toEqual([])
  return found.map(({ milliseconds }) => milliseconds)
}

/** The time is given, because the command runs minutes later. */
const TIME = new Date().toISOString()

const FIELDS = { domain: 'service.example', host: 'receiver.example', account: '1234', 'key-record': RECORD, now: TIME }

const withReceiver = (name: string, content: string | Uint8Array): Case => ({ name, content, fields: FIELDS })

test('the fields of these tests are the flags of the tests of the command', () => {
  const { 'key-record': _, now: __, ...receiver } = FIELDS
  expect(Object.entries(receiver).flatMap(([flag, text]) => [`--${flag}`, text])).toEqual(RECEIVER)
})

test(
  'every vector has the JSON of the command, and the text that the command makes of it',
  async () => {
    const cases = loadVectors().map(({ file, name, json }) => ({
      name: `${file}: ${name}`,
      content: JSON.stringify(json),
      fields: {}
    }))
    expect(cases.length).toBeGreaterThan(1000)
    const times = await expectSame(cases, async ({ content }) => {
      const { stdout, stderr } = await runInside(['explain', '--json'], content)
      const { diagnosis } = JSON.parse(stdout)
      const source = diagnosis.status === 'verified' ? 'the key is from the file, not from DNS\n' : ''
      return { text: source + withoutTones(explainDiagnosis(diagnosis)), stderr, json: stdout.trimEnd() }
    })
    const median = times.sort((a, b) => a - b)[times.length >> 1]
    expect(median).toBeLessThan(1000)
  },
  TIMEOUT
)

describe('captures have the text, the notes and the JSON of the command', () => {
  const good = service.sign({ target: '/hook?a=b', body: '{"id": 1, "name": "\u00e4\u20ac"}' })
  const requests = [
    ['a good request', good],
    ['another body', { ...good, body: '{"id":1,"name":"\u00e4\u20ac"}' }],
    ['another target', { ...good, target: '/hook' }],
    ['another host', withHeaders(good, { Host: 'other.example' })],
    ['an unsigned request', withHeaders(good, { Signature: undefined })]
  ] as const

  test(
    'each of five requests in each format',
    async () => {
      const cases = FORMATS.flatMap(format =>
        requests.map(([name, request]) => withReceiver(`${format.name}: ${name}`, format.write(request as typeof good)))
      )
      expect(cases).toHaveLength(FORMATS.length * requests.length)
      const times = await expectSame(cases, askCommand)
      expect(times.sort((a, b) => a - b)[times.length >> 1]).toBeLessThan(1000)
    },
    TIMEOUT
  )

  test(
    'each hostile capture',
    async () => {
      await expectSame(
        HOSTILE.map(([name, content]) => withReceiver(name, content)),
        askCommand
      )
    },
    TIMEOUT
  )

  test(
    'each command of curl',
    async () => {
      const cases = SENT.map(([command]) => withReceiver(command, command))
      await expectSame(cases, askCommand)
    },
    TIMEOUT
  )
})
