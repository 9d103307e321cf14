// Everything shown comes from strangers: it is put only into text nodes, never into markup or attributes.

const MAX_ROWS = 200
const OUTCOMES = { pass: 'passed', fail: 'failed', unavailable: 'not decided', 'not-run': 'not run' }
const MARKS = { pass: '', fail: '×', unavailable: '?', 'not-run': '' }

const byId = id => document.getElementById(id)
const copyOf = id => byId(id).content.cloneNode(true)
const rows = byId('rows')
const detail = byId('detail')
const time = new Intl.DateTimeFormat([], {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23'
})

/** The process that sent the rows: after a restart it is another one, which does not know them. */
let run = ''
let opened = ''

// ---- the list

function rowOf(request) {
  const id = `${run}-${request.number}`
  const row = copyOf('row-template').firstElementChild
  row.dataset.id = id
  row.dataset.verdict = request.verdict
  row.querySelector('a').href = `#${id}`
  const at = row.querySelector('time')
  at.dateTime = new Date(request.receivedAt).toISOString()
  at.textContent = time.format(request.receivedAt)
  row.querySelector('.badge').textContent = statusOf(request)
  row.querySelector('.method').textContent = request.method
  row.querySelector('.target').textContent = request.target
  row.querySelector('.note').textContent = noteOf(request)
  row.querySelector('.duration').textContent = request.duration
  const strip = row.querySelector('.strip')
  strip.setAttribute('aria-label', summaryOf(request.checks))
  strip.append(...request.checks.map(markOf))
  return row
}

const statusOf = ({ status }) => (status === 0 ? '–' : String(status))

function noteOf({ codes, upstream }) {
  const trouble = upstream === 'answered' || upstream === 'not-asked' ? [] : [`upstream ${upstream}`]
  return [...codes, ...trouble].join(', ')
}

function markOf({ check, outcome }) {
  const mark = document.createElement('span')
  mark.className = `mark ${outcome}`
  mark.title = `${check}: ${OUTCOMES[outcome]}`
  mark.textContent = MARKS[outcome]
  return mark
}

/** `10 passed; failed: host; not run: replay` */
function summaryOf(checks) {
  const named = outcome => checks.filter(result => result.outcome === outcome).map(({ check }) => check)
  const others = ['fail', 'unavailable', 'not-run'].filter(outcome => named(outcome).length > 0)
  return [
    `${named('pass').length} passed`,
    ...others.map(outcome => `${OUTCOMES[outcome]}: ${named(outcome).join(', ')}`)
  ].join('; ')
}

function addRows(requests) {
  const focused = document.activeElement?.closest('tr')
  const added = document.createDocumentFragment()
  for (const request of requests) added.prepend(rowOf(request))
  rows.prepend(added)
  while (rows.children.length > MAX_ROWS) rows.lastElementChild.remove()
  if (focused && !focused.isConnected) rows.lastElementChild?.querySelector('a').focus()
  byId('empty').hidden = rows.children.length > 0
  markOpened()
}

function markOpened() {
  for (const row of rows.children) {
    const link = row.querySelector('a')
    if (row.dataset.id === opened) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
}

// ---- live

function connect() {
  const source = new EventSource('events')
  source.onopen = () => showConnection('live', 'live')
  source.onerror = () => {
    showConnection('waiting', 'connection lost, trying again')
    // The browser gives up after an answer that is not a stream, such as 503.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000)
  }
  source.addEventListener('requests', ({ data }) => {
    const batch = JSON.parse(data)
    const isFirst = batch.isWhole || batch.run !== run
    if (isFirst) rows.replaceChildren()
    run = batch.run
    for (const [status, count] of Object.entries(batch.counts)) {
      byId(`count-${status}`).textContent = count.toLocaleString()
    }
    addRows(batch.rows)
    if (!isFirst) announceRefused(batch.rows)
  })
}

function showConnection(state, text) {
  const connection = byId('connection')
  if (connection.textContent === text) return
  connection.dataset.state = state
  connection.textContent = text
  announce(text)
}

const announce = text => {
  byId('announcer').textContent = text
}

let unannounced = []
let announcing

/** A flood of refusals must not keep a screen reader talking. */
function announceRefused(requests) {
  unannounced.push(...requests.filter(({ verdict }) => verdict !== 'verified'))
  if (unannounced.length === 0 || announcing !== undefined) return
  announcing = setTimeout(() => {
    const codes = new Set(unannounced.flatMap(request => request.codes))
    const count = unannounced.length
    announce(`${count} ${count === 1 ? 'request' : 'requests'} refused: ${[...codes].slice(0, 3).join(', ')}`)
    unannounced = []
    announcing = undefined
  }, 1000)
}

// ---- one request

/** The URL says which request is open, so that the browser's back button closes it. */
async function openFromAddress() {
  const id = /^#(\w+-\d+)$/.exec(location.hash)?.[1] ?? ''
  const closed = opened
  opened = id
  document.body.classList.toggle('has-detail', id !== '')
  markOpened()
  if (id === '') {
    detail.hidden = true
    detail.replaceChildren()
    rows.querySelector(`[data-id="${closed}"] a`)?.focus()
    return
  }
  const request = await load(`requests/${id}`)
  // Meanwhile another one may have been opened.
  if (opened !== id) return
  show(request, id)
  byId('detail-heading').focus()
}

async function load(path) {
  try {
    const response = await fetch(path)
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

function show(request, id) {
  const content = copyOf('detail-template')
  const set = (selector, text) => {
    content.querySelector(selector).textContent = text
  }
  content.querySelector('.close').addEventListener('click', close)
  detail.hidden = false
  if (request === undefined) {
    set('h2', 'This request is no longer kept')
    detail.replaceChildren(content.querySelector('.bar'))
    return
  }
  const hide = (selector, isHidden) => {
    content.querySelector(selector).hidden = isHidden
  }
  detail.dataset.verdict = request.verdict
  set('.method', request.method)
  set('.target', request.target)
  content.querySelector('.summary').append(element('b', '', request.verdict), ` · ${summaryLine(request)}`)
  content.querySelector('.failures').append(...request.failures.map(failureOf))
  hide('.why', request.failures.length === 0)
  content.querySelector('.checks').append(...request.checks.map(checkOf))
  content.querySelector('.signing').append(...request.signing.map(signingLineOf))
  hide('.no-signing', request.signing.length > 0)
  hide('.hint', request.signing.length === 0)
  content.querySelector('.headers tbody').append(...request.headers.map(headerOf))
  showBody(content, request.body)
  addActions(content, request, id)
  detail.replaceChildren(content)
  detail.scrollTop = 0
}

function summaryLine({ status, upstream, duration, receivedAt, https, account, key, algorithm }) {
  const answer = status === 0 ? 'connection broken off' : `answered ${status}`
  const asked = upstream === 'not-asked' ? 'upstream not asked' : `upstream ${upstream}`
  const signer = account === undefined ? [] : [`account ${account}`, `${algorithm} by ${key}`]
  const when = `${new Date(receivedAt).toISOString().slice(0, 19)}Z`
  return [answer, asked, `${duration} ms`, https ? 'HTTPS' : 'without TLS', ...signer, when].join(' · ')
}

function failureOf({ code, message, facts, cause, fix, record }) {
  const content = copyOf('failure-template')
  content.querySelector('.code').textContent = code
  content.querySelector('.message').textContent = message
  content.querySelector('.cause').textContent = cause
  content.querySelector('.fix').textContent = fix
  content.querySelector('.facts dd').append(...facts.map(fact => element('p', '', fact)))
  content.querySelector('.facts').hidden = facts.length === 0
  content.querySelector('.record code').textContent = record ?? ''
  content.querySelector('.record').hidden = record === undefined
  return content
}

function checkOf({ check, outcome, code, text }) {
  const mark = element('span', `mark ${outcome}`, MARKS[outcome])
  mark.setAttribute('aria-hidden', 'true')
  const result = element('span', 'result', OUTCOMES[outcome])
  const said = [code, text].filter(part => part).join(': ')
  return element('li', outcome, mark, element('span', 'name', check), result, element('span', 'said', said))
}

function signingLineOf({ text, isOftenChanged }) {
  if (!isOftenChanged) return element('li', '', element('code', '', text))
  return element(
    'li',
    'changed',
    element('mark', '', element('code', '', text)),
    element('span', 'unseen', ' often changed by proxies')
  )
}

function headerOf({ name, value, isSigned, isBlank }) {
  const heading = element('th', '', name)
  heading.scope = 'row'
  const shown = isBlank ? element('i', 'blank', 'blanked') : value
  return element(
    'tr',
    isSigned ? 'signed' : '',
    heading,
    element('td', '', shown),
    element('td', '', isSigned ? 'yes' : 'no')
  )
}

function showBody(content, { kind, text, length, isCut, note }) {
  const size = length === undefined ? '' : `${length.toLocaleString()} bytes`
  const how =
    kind === 'none'
      ? ''
      : `${kind === 'hex' ? 'in hex, as it is not UTF-8' : 'UTF-8'}${isCut ? ', its start' : ''}`
  content.querySelector('.body-note').textContent = [size, how, note].filter(part => part).join(' · ')
  content.querySelector('.body').textContent = text
  content.querySelector('.body').hidden = kind === 'none'
}

function addActions(content, { fixture, file, command }, id) {
  const byHand = content.querySelector('.by-hand')
  const copyBy = (button, text, what) =>
    button.addEventListener('click', () => copy(text, what).catch(() => offerByHand(byHand, text)))
  copyBy(content.querySelector('.copy-command'), command, 'The command is copied')
  copyBy(content.querySelector('.copy-fixture'), fixture, 'The fixture is copied')
  const save = content.querySelector('.save-fixture')
  save.href = `requests/${id}/fixture`
  save.download = file
  save.textContent = `Save ${file}`
  for (const one of content.querySelectorAll('.copy-fixture, .save-fixture'))
    one.hidden = fixture === undefined
  content.querySelector('.no-fixture').hidden = fixture !== undefined
}

async function copy(text, what) {
  await navigator.clipboard.writeText(text)
  announce(what)
}

/** Over plain HTTP from another machine, browsers have no clipboard. */
function offerByHand(label, text) {
  label.hidden = false
  const area = label.querySelector('textarea')
  area.value = text
  area.select()
}

function element(name, className, ...children) {
  const node = document.createElement(name)
  if (className !== '') node.className = className
  node.append(...children)
  return node
}

// ---- keys

function close() {
  if (location.hash !== '') location.hash = ''
}

document.addEventListener('keydown', event => {
  if (event.key === 'Escape') close()
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key]
  const row = event.target.closest?.('#rows tr')
  if (step === undefined || !row) return
  event.preventDefault()
  let next = row[step]
  while (next !== null && next.offsetParent === null) next = next[step]
  next?.querySelector('a').focus()
})

addEventListener('hashchange', openFromAddress)
connect()
openFromAddress()
