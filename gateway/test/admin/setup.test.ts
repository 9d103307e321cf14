import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { dnsTxtLookup } from '../../../src/index.ts'
import { service } from '../../../test/support/service.ts'
import type { AdminSettings } from '../../src/admin/admin.ts'
import { accountFact, setupOf } from '../../src/admin/setup.ts'
import { VERSION } from '../../src/page-files.ts'
import { ANY_ACCOUNT } from '../../src/seen-accounts.ts'
import { testAdminSettings } from '../support/admin.ts'

interface Setup {
  readonly banner: string
  readonly facts: { readonly host: string; readonly store: string; readonly mode: string }
  readonly send: string
  readonly sendNote: string
}

const setupWith = (changes: Partial<AdminSettings> = {}) => setupOf(testAdminSettings(changes)) as Setup
const withVerifier = (verifier: Partial<AdminSettings['verifier']>) =>
  setupWith({ verifier: { ...service.options, ...verifier } })

test('the page shows the settings, and a line that signs what the gateway accepts', () => {
  expect(withVerifier({ lookupTxt: undefined })).toEqual({
    banner: '',
    facts: {
      host: 'receiver.example',
      domain: 'service.example',
      upstream: 'http://127.0.0.1:9000',
      store: 'memory',
      mode: 'only verified requests are forwarded',
      version: VERSION,
      process: `${process.pid} on ${hostname()}`
    },
    accountPrefix: 'account-',
    send:
      'npx signed-requests send http://127.0.0.1:8080/hook --data=\'{"id":1}\' --domain=service.example ' +
      '--host=receiver.example --account=1234 --account-header=X-Service-ID',
    sendNote:
      'It prints the key record to publish. Or let it serve the record: add --serve-dns 127.0.0.1:5353, and start the ' +
      'gateway with --dns-server 127.0.0.1:5353.'
  })
})

test('the page shows each host and account, and the line uses the first', () => {
  const { facts, send } = withVerifier({ hosts: ['a.example', 'b.example'], accounts: ['1', '2'] })
  expect(facts.host).toBe('a.example, b.example')
  expect(send).toMatch(/ --host=a\.example --account=1 --account-header=X-Service-ID$/)
})

test('the line on the page has no account where each one is accepted', () => {
  expect(withVerifier({ accounts: ANY_ACCOUNT }).send).toMatch(
    / --host=receiver\.example --account-header=X-Service-ID$/
  )
})

test('the line on the page has the header of the proxy where the gateway reads it', () => {
  expect(setupWith({ https: 'x-forwarded-proto' }).send).toMatch(/ --header='X-Forwarded-Proto: https'$/)
})

test('the page says where the line serves its key', () => {
  const { sendNote } = withVerifier({ lookupTxt: dnsTxtLookup({ servers: ['127.0.0.1:5353'] }) })
  expect(sendNote).toBe('It serves its key record at 127.0.0.1:5353, where this gateway asks.')
})

test.each<[changes: Partial<AdminSettings>, banner: string, mode: string]>([
  [{ observe: true }, 'OBSERVING: nothing is refused', 'OBSERVING: every request is forwarded'],
  [
    { refusalStatus: 503 },
    'ASKING FOR RETRIES: refused requests get 503',
    'ASKING FOR RETRIES: refused requests get 503'
  ],
  [{ refusalStatus: 403 }, 'INTRODUCING: refused requests get 403', 'INTRODUCING: refused requests get 403']
])('the page warns that refusals differ with %j', (changes, banner, mode) => {
  const setup = setupWith(changes)
  expect([setup.banner, setup.facts.mode]).toEqual([banner, mode])
  expect(setup.facts.store).toBe(changes.observe ? 'none while observing' : 'memory')
})

test.each<[accounts: AdminSettings['verifier']['accounts'], seen: string[], fact: string]>([
  ['1234', [], '1234'],
  [['1', '2'], ['3'], '1, 2'],
  [() => true, ['3'], ''],
  [ANY_ACCOUNT, [], 'not set, and no signed request has arrived yet'],
  [ANY_ACCOUNT, ['3', '4'], 'not set; signed requests arrived for 3, 4: write --account 3 --account 4 if that is yours']
])('the page shows which accounts are accepted: %j, seen %j', (accounts, seen, fact) => {
  expect(accountFact({ verifier: { ...service.options, accounts }, seenAccounts: new Set(seen) })).toBe(fact)
})
