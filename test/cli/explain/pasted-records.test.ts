import { describe, expect, test } from 'vitest'
import { joinSplitRecord, parsePastedRecords } from '../../../cli/explain/pasted-records.ts'
import { RSA_1024 } from '../../../fixtures/source/keys.ts'
import { headOf, KEY_NAME, RECORD as PUBLISHED, RECEIVER } from '../../support/explain.ts'
import { runInside } from '../../support/run-cli.ts'
import { service } from '../../support/service.ts'

const RECORD = 'v=DKIM1; k=rsa; p=MIIBIjANBg'
const NAME = 'one._domainkey.service.example'

test.each([
  ['the text alone', RECORD],
  ['one quoted string', `"${RECORD}"`],
  ['several strings, as dig +short prints them', '"v=DKIM1; k=rsa; " "p=MIIBIjANBg"'],
  ['strings in brackets', '( "v=DKIM1; k=rsa; "\n\t"p=MIIBIjANBg" )'],
  ['a zone line', `${NAME}. 300 IN TXT "${RECORD}"`],
  ['a zone line without a TTL', `${NAME}. IN TXT "${RECORD}"`],
  ['the class before the TTL', `${NAME}. IN 1h TXT "${RECORD}"`],
  ['a zone line without class and TTL', `${NAME} TXT "${RECORD}"`],
  ['a zone line in capitals', `${NAME.toUpperCase()}. 300 in txt "${RECORD}"`],
  ['lines of opendkim-genkey', `one._domainkey\tIN\tTXT\t( "v=DKIM1; k=rsa; "\n\t  "p=MIIBIjANBg" )  ; ----- DKIM key`],
  ['the answer section of dig', `${NAME}.\t3600\tIN\tTXT\t"v=DKIM1; k=rsa; " "p=MIIBIjANBg"`],
  ['the output of host', `${NAME} descriptive text "v=DKIM1; k=rsa; " "p=MIIBIjANBg"`],
  ['the output of nslookup', `${NAME}\ttext = "v=DKIM1; k=rsa; p=MIIBIjANBg"`],
  ['escapes in a string', '"v=DKIM1\\; k=rsa\\059 p=MIIBIjANBg"'],
  ['a string without its end', '"v=DKIM1; k=rsa; p=MIIBIjANBg']
])('a pasted key record is read: %s', (_, pasted) => expect(parsePastedRecords(pasted)).toEqual([RECORD]))

test('skips comment lines, and takes each line of a zone as a record', () => {
  const other = 'v=DKIM1; k=rsa; p=MIIBother'
  for (const pasted of [
    `;; ANSWER SECTION:\n${NAME}. 300 IN TXT "${RECORD}"\n${NAME}. 300 IN TXT "${other}"\n\n;; Query time: 1 msec\n`,
    `; two keys\n${NAME}. IN TXT ( "v=DKIM1; k=rsa; " ; first\n "p=MIIBIjANBg" )\n; next\n${NAME}. IN TXT "${other}"`,
    `"${RECORD}"\n"${other}"\n`,
    `"v=DKIM1; k=rsa; " "p=MIIBIjANBg" )\n"${other}"\n`
  ]) {
    expect(parsePastedRecords(pasted)).toEqual([RECORD, other])
  }
  for (const comments of ['; <<>> DiG 9.18\n', ';a\n ; b\n\n;\n'])
    expect(parsePastedRecords(`${comments}${RECORD}`)).toEqual([RECORD])
})

test('does not change a text without quotes, however odd', () => {
  for (const text of ['', ' ', 'p=', 'v=DKIM1; n=a \\; b; p=x', 'k=rsa; p=a(b)', 'TXT', 'a TXT b']) {
    expect(parsePastedRecords(text)).toEqual([text])
  }
})

describe('explain --key-record', () => {
  const [chunk, rest] = [PUBLISHED.slice(0, 200), PUBLISHED.slice(200)]
  const capture = headOf(service.sign())
  const explain = (record: string) => runInside(['explain', ...RECEIVER, '--key-record', record], capture)

  test.each([
    `${KEY_NAME}. 300 IN TXT (\n  "${chunk}"\n  "${rest}" ) ; key one`,
    `;; ANSWER SECTION:\nk. 300 IN TXT "v=DKIM1; p="\nk. 300 IN TXT "${chunk}" "${rest}"\n\n;; Query time: 1 msec\n`
  ])('takes a record as it is published: %j', async record => {
    expect(await explain(record)).toMatchObject({ code: 0 })
  })

  test('takes the strings of one record, each as an option of its own', async () => {
    const { code } = await runInside(['explain', ...RECEIVER, '--key-record', chunk, '--key-record', rest], capture)
    expect(code).toBe(0)
  })

  test.each(['rec.txt', '', 'v=spf1 -all'])('takes no %j, which is not a key record', async record => {
    const stderr = expect.stringContaining('--key-record takes the text of a key record')
    expect(await explain(record)).toMatchObject({ code: 64, stderr })
  })
})

test('the strings of one record that were pasted as several are joined, where none is a key alone', () => {
  const [one, two] = [RSA_1024.record.slice(0, 120), RSA_1024.record.slice(120)]
  expect(joinSplitRecord([one, two])).toEqual([RSA_1024.record])
  for (const texts of [[two, one], [RSA_1024.record, 'v=spf1 -all'], ['v=spf1 ', '-all'], [one], []])
    expect(joinSplitRecord(texts)).toEqual(texts)
})
