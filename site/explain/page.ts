import type { Example } from './examples.ts'
import type { Answer, Missing, Question } from './worker.ts'

/** Describes the differences between the page of the site and `explain.html`. */
interface Host {
  /** the address of the worker's program */
  readonly program: Promise<string>
  readonly examples: readonly Example[]
  /** the address of the site, with a slash at its end; undefined if it is not known */
  readonly site: string | undefined
}

/** The command's limit, which is larger than any webhook. */
const MAX_BYTES = 16 * 2 ** 20

/** A longer text would slow a text field down, so it is kept as a file is. */
const MAX_SHOWN = 100_000

/** The longest search takes a tenth of this on a current machine. */
const TIME_LIMIT = 60_000

/** Lists the flags that have a field of the same name. */
const FLAG_FIELDS = ['domain', 'host', 'account', 'key-record', 'doh', 'now', 'account-header'] as const

/** A link to the page may fill in these, and nothing that is asked or judged because somebody followed it. */
const LINK_FIELDS = ['domain', 'host', 'account', 'account-header'] as const

/** No setting is longer. */
const MAX_SETTING = 255

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T

const form = byId<HTMLFormElement>('form')
const capture = byId<HTMLTextAreaElement>('capture')
const held = byId('held')
const file = byId<HTMLInputElement>('file')
const status = byId('status')
const rfc9421 = byId<HTMLInputElement>('rfc9421')
const field = (id: string) => byId<HTMLInputElement | HTMLTextAreaElement>(id)

function element<N extends keyof HTMLElementTagNameMap>(
  name: N,
  properties: Partial<HTMLElementTagNameMap[N]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[N] {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/* ---- the captured request */

/** Returns the octets of a file, or of a pasted text that the text field would change. */
let octets: Uint8Array<ArrayBuffer> | undefined

/** Keeps a capture beside the text field, which shows its beginning. */
function hold(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  if (bytes.length > MAX_BYTES) {
    showMistake(`${name} is larger than 16 MB: save the one request in a file of its own`)
    return
  }
  octets = bytes
  capture.value = new TextDecoder().decode(bytes.subarray(0, 4000))
  capture.readOnly = true
  held.querySelector('span')!.textContent = `${name}, ${bytes.length.toLocaleString('en')} bytes`
  held.hidden = false
}

function release(): void {
  octets = undefined
  capture.readOnly = false
  capture.value = ''
  file.value = ''
  held.hidden = true
}

const holdFile = async (chosen: File | undefined): Promise<void> => {
  if (chosen === undefined) return
  const isLarge = chosen.size > MAX_BYTES
  hold(chosen.name, isLarge ? new Uint8Array(MAX_BYTES + 1) : new Uint8Array(await chosen.arrayBuffer()))
}

held.querySelector('button')!.addEventListener('click', () => {
  release()
  capture.focus()
})

file.addEventListener('change', () => holdFile(file.files?.[0]))

capture.addEventListener('paste', event => {
  const { clipboardData } = event
  const pasted = clipboardData?.files[0]
  const text = clipboardData?.getData('text/plain') ?? ''
  const isWhole = capture.selectionStart === 0 && capture.selectionEnd === capture.value.length
  // A text field has no carriage returns, and a body may.
  const isChanged = text.length > MAX_SHOWN || text.includes('\r')
  if (capture.readOnly || (pasted === undefined && !(isWhole && isChanged))) return
  event.preventDefault()
  if (pasted === undefined) hold('Pasted text', new TextEncoder().encode(text))
  else holdFile(pasted)
})

for (const name of ['dragenter', 'dragover', 'dragleave', 'drop'])
  addEventListener(name, event => {
    event.preventDefault()
    document.body.classList.toggle('dropping', name === 'dragenter' || name === 'dragover')
  })

addEventListener('drop', ({ dataTransfer }) => {
  const dropped = dataTransfer?.files[0]
  const text = dataTransfer?.getData('text/plain') ?? ''
  if (dropped !== undefined) holdFile(dropped)
  else if (text !== '') hold('Dropped text', new TextEncoder().encode(text))
})

/* ---- the examples */

function offer({ title, fields, isRfc9421 }: Example): void {
  const button = element('button', { type: 'button', textContent: title })
  button.addEventListener('click', () => {
    release()
    form.reset()
    for (const [id, text] of Object.entries(fields)) field(id).value = text
    rfc9421.checked = isRfc9421
    form.requestSubmit()
  })
  document.querySelector('.examples')!.append(button)
}

/* ---- the settings in the address */

/** Fills in the settings that the fragment of the address has, such as `#domain=service.example&account=1234`. */
function fillFromAddress(): void {
  const settings = new URLSearchParams(location.hash.slice(1))
  for (const id of LINK_FIELDS) {
    const value = settings.get(id)
    if (value !== null) field(id).value = value.slice(0, MAX_SETTING)
  }
  if (settings.has('rfc9421')) rfc9421.checked = settings.get('rfc9421') === 'true'
}

function linkToSettings(): string {
  const filled = LINK_FIELDS.map(id => [id, field(id).value.trim()]).filter(([, value]) => value !== '')
  const settings = new URLSearchParams([...filled, ...(rfc9421.checked ? [['rfc9421', 'true']] : [])])
  return `${location.href.split('#')[0]}#${settings}`
}

addEventListener('hashchange', fillFromAddress)

/* ---- the worker */

const trusted = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
const policy = trusted?.createPolicy('worker', { createScriptURL: url => url })

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** Ends the running explanation. */
let stop = (): void => {}

/** Asks a worker of its own, unless another question comes before the program is there. */
function ask(question: Question): void {
  stop()
  let isStopped = false
  stop = () => {
    isStopped = true
  }
  void host.program.then(address => {
    if (!isStopped) askWorker(address, question)
  })
}

/** The worker is ended when it has answered, is late, or nobody waits for it anymore. */
function askWorker(address: string, question: Question): void {
  const worker = new Worker(policy?.createScriptURL(address) ?? address)
  const timer = setTimeout(() => {
    stop()
    showMistake(`this took more than ${TIME_LIMIT / 1000} seconds, and was ended: the command line has no such limit`)
  }, TIME_LIMIT)
  stop = () => {
    clearTimeout(timer)
    worker.terminate()
  }
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    stop()
    show(data)
  })
  worker.addEventListener('error', ({ message }) => {
    stop()
    showMistake(`the program of this page failed: ${message}`)
  })
  worker.postMessage(question)
}

form.addEventListener('submit', event => {
  event.preventDefault()
  const bytes = octets ?? new TextEncoder().encode(capture.value)
  const filled = FLAG_FIELDS.map(id => [id, field(id).value.trim()]).filter(([, text]) => text !== '')
  const fields = { ...Object.fromEntries(filled), ...(rfc9421.checked && { scheme: 'draft-cavage,rfc9421' }) }
  clear()
  if (bytes.length === 0) showMistake('Paste a captured request first, or drop a file.')
  else {
    setStatus('', 'Checking ...')
    ask({ capture: bytes, fields, more: field('more').value })
  }
})

form.addEventListener('reset', () => {
  stop()
  release()
  clear()
})

/* ---- the result */

function setStatus(text: string, headline: string): void {
  status.textContent = text
  status.dataset['status'] = text
  byId('headline').textContent = headline
}

function clear(): void {
  byId('nothing').hidden = true
  byId('explained').hidden = true
  byId('mistake').textContent = ''
  for (const label of document.querySelectorAll('[aria-invalid]')) label.removeAttribute('aria-invalid')
  setStatus('', '')
}

function showMistake(message: string): void {
  clear()
  byId('mistake').textContent = message
  showResult()
}

/** Brings the result into sight, unless it is already there, beside the form. */
function showResult(): void {
  const verdict = document.querySelector('.verdict')!
  const { top } = verdict.getBoundingClientRect()
  if (top < 0 || top > innerHeight / 2) verdict.scrollIntoView()
}

const LABELS = { domain: 'Domain', host: 'Host', account: 'Account' } as const

function show(answer: Answer): void {
  if (answer.kind === 'mistake') showMistake(answer.message)
  else if (answer.kind === 'missing') askFor(answer.fields)
  else showExplained(answer)
}

function askFor(fields: readonly Missing[]): void {
  showMistake(`Fill in ${fields.map(name => LABELS[name]).join(', ')}: only a fixture brings its own.`)
  for (const name of fields) field(name).setAttribute('aria-invalid', 'true')
  field(fields[0]!).focus()
}

function showExplained({ status, headline, notes, failures, lines, json }: Explained): void {
  setStatus(status, headline)
  byId('notes').replaceChildren(...notes.map(note => element('li', { textContent: note })))
  byId('causes').replaceChildren(...failures.map(causeOf))
  byId('explanation').replaceChildren(...lines.flatMap((line, i) => [i === 0 ? '' : '\n', ...toned(line)]))
  showJson(json)
  byId('explained').hidden = false
  showResult()
}

type Explained = Extract<Answer, { kind: 'explained' }>

/** Writes a line of the explanation, its start in the colour of a terminal. */
function toned(line: Line): (Node | string)[] {
  if (typeof line === 'string') return [line]
  return [element('span', { className: line.tone, textContent: line.start }), ...toned(line.rest)]
}

type Line = Explained['lines'][number]

function nameOf(code: string): HTMLElement {
  if (host.site === undefined) return element('span', { textContent: code })
  const href = `${host.site}codes/${encodeURIComponent(code)}.html`
  return element('a', { href, textContent: code, target: '_blank', rel: 'noopener' })
}

function causeOf({ code, message, cause, fix, changed, followsFrom }: Explained['failures'][number]): HTMLElement {
  const link = nameOf(code)
  if (followsFrom !== undefined) return element('p', {}, link, ` follows from ${followsFrom}.`)
  const entry = (term: string, text: string, className = '') => [
    element('dt', { textContent: term }),
    element('dd', { textContent: text, className })
  ]
  const { line = 0, signed = '', received = '' } = changed ?? {}
  const change =
    changed === undefined
      ? []
      : [
          ...entry(`Line ${line} of the signing string, as it was signed`, signed, 'line signed'),
          ...entry('The same line, as it was received', received, 'line received')
        ]
  const list = element('dl', {}, ...change, ...entry('Likely cause', cause), ...entry('Fix', fix))
  return element('div', { className: 'cause' }, element('h3', {}, link, `: ${message}`), list)
}

/* ---- text and JSON, to copy */

// A keyboard can scroll them in every browser.
for (const scroller of document.querySelectorAll<HTMLElement>('.text')) scroller.tabIndex = 0

let json = ''

/** The JSON of a large body would take a text field seconds to show. */
function showJson(text: string): void {
  json = text
  const cut =
    text.length > MAX_SHOWN ? `\n... (${text.length - MAX_SHOWN} more characters: Copy JSON has them all)` : ''
  byId('json').querySelector('pre')!.textContent = text.slice(0, MAX_SHOWN) + cut
}

function copyOn(id: string, text: () => string): void {
  const button = byId<HTMLButtonElement>(id)
  const name = button.textContent!
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(text()).then(
      () => true,
      () => false
    )
    button.textContent = isCopied ? 'Copied' : 'This browser does not allow it: select the text instead'
    setTimeout(() => {
      button.textContent = name
    }, 2000)
  })
}

copyOn('copy-text', () => byId('explanation').textContent!)
copyOn('copy-json', () => json)
copyOn('copy-link', linkToSettings)

/* ---- the start */

let host: Host

/** Starts the page, whose form is there. */
export function start(given: Host): void {
  host = given
  host.examples.forEach(offer)
  fillFromAddress()
}
