import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findAccountId, identityError } from '../../../src/account/account-id.ts'
import { messageIn } from '../../../src/core/mistakes.ts'
import { createVerifier } from '../../../src/index.ts'
import { unicode } from '../properties/arbitraries.ts'

describe('where the id is', () => {
  test.each<[unknown, string | undefined]>([
    [{ ID: 'a', id: 'b', account_id: 'c', accountId: 'd', account: { ID: 'e' } }, 'a'],
    [{ id: 'b', account_id: 'c', accountId: 'd' }, 'b'],
    [{ account_id: 'c', accountId: 'd' }, 'c'],
    [{ accountId: 'd', account: { ID: 'e' } }, 'd'],
    [{ account: { ID: 'e', id: 'f' } }, 'e'],
    [{ account: { accountId: 'g' } }, 'g'],
    [{ ID: 1234 }, '1234'],
    [{ id: 0 }, '0'],
    [{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
    [{ ID: '', id: null, account_id: {}, accountId: 7 }, '7'],
    [{ id: 2 ** 53 }, undefined],
    [{ id: 1.5 }, undefined],
    [{ id: true }, undefined],
    [{ id: '' }, undefined],
    [{ id: ['1'] }, undefined],
    [{ data: { ID: 77 } }, '77'],
    [{ result: { account_id: 'h' } }, 'h'],
    [{ result: { id: 'r' }, data: { id: 'd' }, account: { id: 'a' } }, 'a'],
    [{ result: { id: 'r' }, data: { id: 'd' } }, 'd'],
    [{ id: 'account-77' }, '77'],
    [{ id: ' 77 ' }, '77'],
    [{ id: '\u00a0 account-77\r\n' }, '77'],
    [{ id: 'ACCOUNT-77' }, 'ACCOUNT-77'],
    [{ id: 'account-', accountId: 'account-account-7' }, undefined],
    [{ id: 'a,b' }, undefined],
    [{ id: 'a b' }, undefined],
    [{ id: 'a\x1b[31m\u202eb' }, undefined],
    [{ id: 'x'.repeat(256) }, undefined],
    [{ account: 1234 }, undefined],
    [{ data: { data: { id: 1 } } }, undefined],
    [{ data: [{ id: 1 }] }, undefined],
    [{ account: { account: { id: 1 } } }, undefined],
    [JSON.parse('{"__proto__":{"id":"1"}}'), undefined],
    [Object.create({ id: '1' }), undefined],
    [[{ id: 1 }], undefined],
    [1234, undefined],
    ['1234', undefined],
    [null, undefined],
    [{}, undefined]
  ])('the account id is found, or refused: %j', (raw, id) => expect(findAccountId(raw)).toBe(id))
})

test('what is found is what createVerifier takes as accounts, and a sender can send', () => {
  let found = 0
  const text = fc.oneof(
    fc.tuple(fc.constantFrom('', ' ', 'account-', '\u3000account-'), fc.string(), fc.constantFrom('', ' ', '\n')),
    fc.tuple(unicode())
  )
  const run = (parts: readonly string[]) => {
    const id = findAccountId({ data: { id: parts.join('') } })
    if (id === undefined) return
    found++
    expect(() => createVerifier({ serviceDomain: 'service.example', hosts: 'a.example', accounts: id })).not.toThrow()
    expect(id).toMatch(/^[!-~]+$/)
  }
  fc.assert(fc.property(text, run), { examples: [[[' account-', '77', ' ']]] })
  expect(found).toBeGreaterThan(1)
})

describe('an answer without an id', () => {
  const SECRET = 'access-token-that-fits'
  const messageOf = (raw: unknown, isSelected = false) => identityError(raw, isSelected).message
  const fieldsOf = (raw: unknown) => /fields are: (.*?)\. Give /.exec(messageOf(raw))?.[1]

  const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, n]))

  test.each<[what: string, raw: unknown, fields: string]>([
    [
      'names, not values',
      { name: 'value-1', e_mail: 'value-2', account: { plan: 'value-3' }, 'a b': 'value-4' },
      'name, e_mail, account, (not shown), account.plan'
    ],
    ['names in objects, as --field takes them', { user: { number: { ID: 1.5 } } }, 'user, user.number, user.number.ID'],
    ['names in arrays', { accounts: [{ id: null }] }, 'accounts, accounts.0, accounts.0.id'],
    ['three levels', { data: { user: { org: { id: 1 } } } }, 'data, data.user, data.user.org'],
    ['nothing of a text', { account: 'value-1' }, 'account'],
    ['nothing where it is not an object', 4711, '(none)'],
    ['nothing where it is null', null, '(none)']
  ])('lists %s', (_, raw, fields) => {
    expect(fieldsOf(raw)).toBe(fields)
    expect(messageOf(raw)).not.toContain('value-')
  })

  test.each<[what: string, raw: object]>([
    ['many names', { ...numbered(1000), ['x'.repeat(1000)]: 1, account: numbered(1000) }],
    ['many short paths', { data: Array(99).fill(1) }],
    ['long paths', { organization_id: { organization_id: Array(99).fill(1) } }],
    ['hidden names', Object.fromEntries(Object.keys(numbered(5000)).map(name => [`${name} `, { name }]))]
  ])('says how many are left out of %s, in less than 1,000 characters', (_, raw) => {
    expect(messageOf(raw)).toMatch(/ and \d+ more\. Give selectAccountId/)
    expect(messageOf(raw).length).toBeLessThan(1000)
  })

  test.each([
    SECRET,
    `x${SECRET}`,
    SECRET.slice(5),
    SECRET.toUpperCase(),
    'sk_live_4eC39HqLyjWD',
    'd41d8cd98f00b204',
    'qzxkwvbnmplkjhg',
    'QZXKWVBNMPLKJHG',
    'XkQzRpLmWvBnTcYs',
    'aGVsbG-dvcmxkIGZvcg',
    'sZkQpLmVbnTc_RtYh',
    'eyJhbGciOi.eyJzdWIiOi.c2ln',
    'K_Q_Z',
    'x'.repeat(25),
    '\x1b[31mred',
    'na\u0456ve',
    '',
    '__proto__ ',
    'constructor',
    'accountkey1'
  ])('an answer without an id does not show %j as the name of a field, nor what is in it', name => {
    const raw = JSON.parse(`{${JSON.stringify(name)}:{"inside":1},"data":{${JSON.stringify(name)}:1}}`)
    expect(fieldsOf(raw)).toBe('(not shown), data, data.(not shown)')
  })

  test.each(['id', 'ID', 'userId', 'accountID', 'account_number', 'customer-id', 'ACCOUNT_ID', 'createdAt'])(
    'shows %j as the name of a field',
    name => expect(fieldsOf({ [name]: { name: null } })).toBe(`${name}, ${name}.name`)
  )

  test('says what to do in the names of its reader', () => {
    const said = (isSelected: boolean) =>
      messageIn(identityError({ ID: '' }, isSelected), option => (option === 'selectAccountId' ? '--field' : ''))
    expect(messageOf({ ID: '' })).toBe(
      'There is no account id under a usual name in the identity, whose fields are: ID. ' +
        'Give selectAccountId to say where it is.'
    )
    expect(said(false)).toMatch(/ Give --field to say where it is\.$/)
    expect(said(true)).toBe('--field found no account id in the identity, whose fields are: ID.')
    expect(messageOf({ ID: '' }, true)).toMatch(
      /^selectAccountId found no .* It must return an account id, as a string/
    )
  })
})
