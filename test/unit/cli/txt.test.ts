import { expect, test } from 'vitest'
import { parseTxt } from '../../../src/cli/explain/explain.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { runInside } from '../../support/run-cli.ts'
import { service } from '../../support/service.ts'
import { sniff } from '../../support/sniff.ts'

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
  [
    'several lines in brackets with comments, as opendkim-genkey writes them',
    `one._domainkey\tIN\tTXT\t( "v=DKIM1; k=rsa; "\n\t  "p=MIIBIjANBg" )  ; ----- DKIM key one for service.example`
  ],
  ['the answer section of dig', `${NAME}.\t3600\tIN\tTXT\t"v=DKIM1; k=rsa; " "p=MIIBIjANBg"`],
  ['the output of host', `${NAME} descriptive text "v=DKIM1; k=rsa; " "p=MIIBIjANBg"`],
  ['the output of nslookup', `${NAME}\ttext = "v=DKIM1; k=rsa; p=MIIBIjANBg"`],
  ['escapes in a string', '"v=DKIM1\\; k=rsa\\059 p=MIIBIjANBg"'],
  ['a string without its end', '"v=DKIM1; k=rsa; p=MIIBIjANBg']
])('%s', (_, pasted) => expect(parseTxt(pasted)).toEqual([RECORD]))

test('skips comment lines, and takes each line of a zone as a record', () => {
  const other = 'v=DKIM1; k=rsa; p=MIIBother'
  for (const pasted of [
    `;; ANSWER SECTION:\n${NAME}. 300 IN TXT "${RECORD}"\n${NAME}. 300 IN TXT "${other}"\n\n;; Query time: 1 msec\n`,
    `; two keys\n${NAME}. IN TXT ( "v=DKIM1; k=rsa; " ; first\n "p=MIIBIjANBg" )\n; next\n${NAME}. IN TXT "${other}"`,
    `"${RECORD}"\n"${other}"\n`
  ]) {
    expect(parseTxt(pasted)).toEqual([RECORD, other])
  }
  expect(parseTxt(`; <<>> DiG 9.18\n${RECORD}`)).toEqual([RECORD])
})

test('does not change a text without quotes, however odd', () => {
  for (const text of ['', ' ', 'p=', 'v=DKIM1; n=a \\; b; p=x', 'k=rsa; p=a(b)', 'TXT', 'a TXT b']) {
    expect(parseTxt(text)).toEqual([text])
  }
})

test.each(['"', '"\\', '(', 'a ', ' ', '1 ', '"\n', ';\n', 'a TXT "b"\n'])(
  'reads eight times as many repetitions of %j in less than thirty times the time',
  async piece => {
    const cost = (length: number) => cpuTime(() => parseTxt(piece.repeat(length / piece.length)))
    let growth = Number.POSITIVE_INFINITY
    // A collection of garbage can spoil a measurement, but not six. What is quadratic costs 64 times as much.
    for (let attempt = 0; attempt < 6 && growth >= 30; attempt++)
      growth = (await cost(400_000)) / Math.max(await cost(50_000), 0.5)
    expect(growth).toBeLessThan(30)
  }
)

test('is what explain --key-record takes', async () => {
  const [[name, [strings]]] = Object.entries(service.records) as [[string, [string[]]]]
  const zoneLine = `${name}. 300 IN TXT (\n  ${strings.map(string => `"${string}"`).join('\n  ')} ) ; key one`
  const flags = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
  const capture = await sniff(service.sign())
  expect(await runInside(['explain', ...flags, '--key-record', zoneLine], capture)).toMatchObject({ code: 0 })
})
