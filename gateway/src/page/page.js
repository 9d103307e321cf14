// Everything shown is untrusted input: it is put only into text nodes, never into markup or attributes.

/** Limits the verified requests, and the others in each list, as the gateway does. */
const MAX_ROWS = 200
const MARKS = { pass: '✓', fail: '×', unavailable: '?', 'not-run': '·' }
const OUTCOMES = {
  verified: 'verified',
  refused: 'refused',
  'asked-again': 'asking again',
  unavailable: 'could not be decided',
  forwarded: 'forwarded, not verified'
}

/** Counts that most gateways never have. */
const RARE = ['asked-again', 'forwarded', 'elsewhere']

const TITLES = {
  signed: 'Signed requests',
  failed: 'Signed requests that were not verified',
  other: 'Requests that are not signed'
}

const NOTHING = {
  signed: 'No signed request has arrived yet.',
  failed: 'Every signed request was verified.',
  other: 'Every request was signed.'
}

const byId = id => document.getElementById(id)
const copyOf = id => byId(id).content.cloneNode(true)
const lists = { signed: byId('signed'), other: byId('other') }
/** The address of the pages of the codes, with a slash at its end; empty when it is not known. */
const codePages = document.body.dataset.codes
const detail = byId('detail')

/** The number of the open request; empty when none is. */
let opened = ''
let others = 0
let arrived = 0

function element(name, className, ...children) {
  const node = document.createElement(name)
  node.className = className
  node.append(...children)
  return node
}

/** Writes terms and descriptions, each pair in a line. */
const pairs = entries =>
  entries.map(([name, ...texts]) => element('div', '', element('dt', '', name), element('dd', '', ...texts)))

// ---- the list

/** Holds the text of each row that the search looks through. */
const texts = new WeakMap()
/** what stands before an account in its header */
let accountPrefix = ''

function rowOf(request) {
  const row = copyOf('row-template').firstElementChild
  const set = (selector, text) => {
    row.querySelector(selector).textContent = text
  }
  const isTrouble = request.outcome === 'verified' && request.note !== ''
  row.dataset.outcome = isTrouble ? 'unavailable' : request.outcome
  row.dataset.verified = isVerified(request)
  row.querySelector('a').href = `#${request.number}`
  row.querySelector('time').dateTime = new Date(request.receivedAt).toISOString()
  set('time', clock(request.receivedAt))
  set('.status', request.status === 0 ? 'cut off' : request.status)
  set('.method', request.method)
  set('.target', request.target)
  set('.note', request.outcome === 'forwarded' ? `not verified: ${request.note}` : request.note)
  set('.strip', request.checks.map(outcome => MARKS[outcome]).join(''))
  set('.duration', `${request.duration} ms`)
  const account = `${accountPrefix}${request.account || request.claimed}`
  texts.set(row, [request.target, request.note, account, request.key].join('\n').toLowerCase())
  return row
}

const isVerified = ({ outcome }) => outcome === 'verified'

const clock = at => new Date(at).toTimeString().slice(0, 8)

function addRows(requests) {
  const focused = document.activeElement?.closest('ol')
  const keepPlaces = Object.values(lists).map(placeKeeperOf)
  for (const request of requests) {
    lists[request.list].prepend(rowOf(request))
    arrived += 1
    if (request.list === 'other') others += 1
    const alike = [...lists[request.list].children].filter(
      ({ dataset }) => dataset.verified === `${isVerified(request)}`
    )
    if (alike.length > MAX_ROWS) alike.at(-1).remove()
  }
  if (focused && document.activeElement === document.body) focused.lastElementChild.firstElementChild.focus()
  byId('others').textContent = others === 0 ? '' : `(${others.toLocaleString()})`
  markOpened()
  showFiltered()
  for (const keepPlace of keepPlaces) keepPlace()
}

/** Remembers which row a reader has scrolled to; the returned function scrolls there again, whatever came above it. */
function placeKeeperOf(list) {
  const top = list.scrollTop
  if (top === 0) return () => {}
  const row = [...list.children].find(({ offsetTop, offsetHeight }) => offsetTop + offsetHeight > list.offsetTop + top)
  const place = row?.offsetTop
  return () => {
    if (row?.isConnected) list.scrollTop = top + row.offsetTop - place
  }
}

function markOpened() {
  for (const link of document.querySelectorAll('ol a')) {
    if (link.hash === `#${opened}`) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
}

const filter = byId('filter')
filter.addEventListener('change', () => {
  sessionStorage.setItem('filter', chosen())
  showFiltered()
})
const chosen = () => filter.querySelector(':checked').value

const search = byId('search')
search.addEventListener('input', showFiltered)

function showFiltered() {
  document.body.dataset.filter = chosen()
  byId('requests-heading').textContent = TITLES[chosen()]
  const wanted = search.value.trim().toLowerCase()
  for (const row of document.querySelectorAll('#requests li')) row.hidden = !texts.get(row).includes(wanted)
  byId('empty').hidden = visibleLinks().length > 0
  byId('empty').textContent = nothingText(wanted)
}

/** Says why no row is shown. */
function nothingText(wanted) {
  if (arrived === 0) return 'No request has arrived here yet.'
  if (wanted !== '') return 'No request here has this in its path, codes, account or key.'
  return chosen() === 'failed' && lists.signed.children.length === 0 ? NOTHING.signed : NOTHING[chosen()]
}

const visibleLinks = () => [...document.querySelectorAll('#requests ol a')].filter(link => link.offsetParent !== null)

// ---- live

let lostAt

function connect() {
  const source = new EventSource('events')
  source.onopen = () => showConnection('live', 'Live')
  source.onerror = () => {
    lostAt ??= Date.now()
    showConnection('lost', `Connection lost at ${clock(lostAt)}: the list is out of date. Reconnecting.`)
    // The browser gives up after an answer that is not a stream, such as 503.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000)
  }
  source.addEventListener('setup', ({ data }) => showSetup(JSON.parse(data)))
  source.addEventListener('requests', ({ data }) => {
    const { counts, account, clock, rows } = JSON.parse(data)
    const names = { ...OUTCOMES, elsewhere: 'signed under another domain' }
    const shown = Object.entries(names).filter(([name]) => counts[name] > 0 || !RARE.includes(name))
    byId('counts').replaceChildren(...pairs(shown.map(([name, text]) => [text, counts[name].toLocaleString()])))
    showFacts({ ...facts, account, clock })
    addRows(rows)
  })
}

function showConnection(state, text) {
  const connection = byId('connection')
  if (state === 'live') lostAt = undefined
  if (connection.textContent === text) return
  connection.dataset.state = state
  connection.textContent = text
}

/** Starts again: the whole list of kept requests follows. */
function showSetup({ banner, facts: shown, send, sendNote, accountPrefix: prefix }) {
  accountPrefix = prefix
  byId('mode').hidden = banner === ''
  byId('mode').textContent = banner
  facts = shown
  showFacts(facts)
  byId('send').textContent = send
  byId('send-note').textContent = sendNote
  byId('copy-send').onclick = () => copy(send, 'Copied the line', () => select(byId('send')))
  for (const list of Object.values(lists)) list.replaceChildren()
  others = 0
  arrived = 0
}

/** The settings of the gateway, as the page shows them. */
let facts = {}

const showFacts = shown => byId('facts').replaceChildren(...pairs(Object.entries(shown)))

// ---- one request

/** The URL says which request is open, so that the browser's back button closes it. */
async function openFromAddress() {
  const closed = opened
  opened = /^#(\d+)$/.exec(location.hash)?.[1] ?? ''
  const number = opened
  markOpened()
  if (number === '') {
    showDetail()
    document.querySelector(`ol a[href="#${closed}"]`)?.focus()
    return
  }
  const request = await load(`requests/${number}`)
  // Meanwhile another one may have been opened.
  if (opened !== number) return
  showDetail(request === undefined ? goneContent() : detailContent(request))
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

function showDetail(content) {
  detail.replaceChildren(...(content ? [content] : []))
  detail.hidden = content === undefined
  document.body.classList.toggle('has-detail', content !== undefined)
  detail.querySelector('.close')?.addEventListener('click', close)
  detail.scrollTop = 0
}

function goneContent() {
  const content = copyOf('detail-template')
  content.querySelector('h2').textContent = 'This request is no longer kept'
  const closing = document.createDocumentFragment()
  closing.append(content.querySelector('.close'), content.querySelector('h2'))
  return closing
}

function detailContent(request) {
  const content = copyOf('detail-template')
  const find = selector => content.querySelector(selector)
  const { diagnosis, signing, headers, body, fixture, command } = request
  const changed = diagnosis.failures.flatMap(failure => failure.changed?.line ?? [])
  detail.dataset.outcome = request.outcome
  find('.method').textContent = request.method
  find('.target').textContent = request.target
  find('.summary').append(
    element('b', 'outcome', OUTCOMES[request.outcome]),
    ` · ${summaryOf(request)} · `,
    timeOf(request)
  )
  find('.headline').textContent = diagnosis.headline
  find('.headline').hidden = diagnosis.failures.length > 0
  find('.failures').append(...diagnosis.failures.map(failureOf))
  find('.checks').append(...diagnosis.checks.map(checkOf))
  find('.signing').append(...signing.map((line, i) => signingLineOf(line, changed.includes(i + 1))))
  find('.no-signing').hidden = signing.length > 0
  find('.headers').append(...pairs(headers.map(headerOf)))
  find('.body-note').textContent = body.note
  find('.body').textContent = body.text
  find('.body').hidden = body.text === ''
  find('.actions').hidden = fixture === undefined
  find('.no-fixture').hidden = fixture !== undefined
  const byHand = find('.by-hand')
  const offer = text => () => {
    byHand.hidden = false
    byHand.lastElementChild.value = text
    byHand.lastElementChild.select()
  }
  find('.copy-fixture').onclick = () => copy(fixture, 'Copied the fixture', offer(fixture))
  find('.copy-command').onclick = () => copy(command, 'Copied the command', offer(command))
  return content
}

function summaryOf({ status, upstream, duration, https, account, claimed, key }) {
  const answer = status === 0 ? 'connection broken off' : `answered ${status}`
  const asked = upstream === 'not-asked' ? 'upstream not asked' : `upstream ${upstream}`
  const claim = account === '' ? 'claims ' : ''
  const whose = account || claimed
  const names = [whose && `${claim}account ${whose}`, key && `${claim}key ${key}`].filter(name => name !== '')
  return [answer, asked, `${duration} ms`, https ? 'HTTPS' : 'without TLS', ...names].join(' · ')
}

const timeOf = ({ receivedAt }) => element('time', '', new Date(receivedAt).toISOString().replace(/\.\d+/, ''))

/**
 * Shows the changed line, the cause and the fix first, and then the facts. A failure that follows from another one has
 * no advice.
 */
function failureOf({ code, message, cause, fix, facts, changed, followsFrom }) {
  const lines = changed === undefined ? [] : [changedLines(changed)]
  // The signing string is shown on its own.
  const seen = facts.filter(({ id }) => id !== 'signingString')
  const isRoot = followsFrom === undefined
  const advice = isRoot
    ? [
        ['Likely cause', cause],
        ['Fix', fix]
      ]
    : [['Follows from', followsFrom]]
  return element(
    'section',
    'failure',
    element('h3', '', nameOf(code), ` ${message}`),
    ...lines,
    element('dl', '', ...pairs(advice)),
    element('dl', '', ...pairs(seen.map(({ id, label, value }) => [label, id === 'record' ? folded(value) : value])))
  )
}

/** Names a code, which is not text from the sender, and links to its page. */
function nameOf(code) {
  const name = element('code', '', code)
  if (codePages === '') return name
  const link = element('a', '', name)
  link.href = `${codePages}${encodeURIComponent(code)}.html`
  return link
}

/** Folds a key record, which is long and seldom read. */
const folded = text => element('details', '', element('summary', '', `${text.length} characters`), text)

const changedLines = ({ line, signed, received }) =>
  element(
    'dl',
    'changed',
    ...pairs([
      [`Line ${line} signed`, element('del', '', signed)],
      ['received', element('ins', '', received)]
    ])
  )

const checkOf = ({ check, outcome, code, reason }) =>
  element(
    'li',
    outcome,
    `${MARKS[outcome]} ${check}`,
    element('small', '', { pass: '', 'not-run': `not run: ${reason}` }[outcome] ?? code)
  )

const signingLineOf = (text, isChanged) => element('li', '', element(isChanged ? 'mark' : 'code', '', text))

const headerOf = ({ name, value, isBlank, isSigned }) => [
  name,
  isBlank ? element('i', '', 'blanked') : value,
  isSigned ? element('small', '', ' signed') : ''
]

// ---- copying

async function copy(text, said, otherwise) {
  try {
    await navigator.clipboard.writeText(text)
    byId('announcer').textContent = said
  } catch {
    // Over plain HTTP from another machine, browsers have no clipboard.
    otherwise()
  }
}

const select = node => getSelection().selectAllChildren(node)

// ---- keys

function close() {
  if (location.hash !== '') location.hash = ''
}

document.addEventListener('keydown', event => {
  if (event.key === 'Escape') close()
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const links = visibleLinks()
  const at = links.indexOf(event.target)
  if (step === undefined || at < 0) return
  event.preventDefault()
  links[at + step]?.focus()
})

const remembered = sessionStorage.getItem('filter')
for (const input of filter.querySelectorAll('input')) if (input.value === remembered) input.checked = true
showFiltered()
addEventListener('hashchange', openFromAddress)
connect()
openFromAddress()
