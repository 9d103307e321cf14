import { createServer, type Server } from 'node:http'
import { type DnsOutcome, RCODE, type TxtRecords } from '../support/dns-answer.ts'

const STATUS: Partial<Record<DnsOutcome, number>> = { ...RCODE, nodata: 0 }

/**
 * Answers as workerd's node:dns needs: DNS over HTTPS with answers in JSON, the strings of a record in quotes.
 *
 * @param answerTo gets the name exactly as it was asked for
 */
export function createDnsOverHttps(answerTo: (name: string) => TxtRecords | DnsOutcome): Server {
  return createServer((req, res) => {
    const name = new URL(req.url ?? '', 'http://dns').searchParams.get('name') ?? ''
    const found = answerTo(name)
    const records = typeof found === 'string' ? [] : found
    const quoted = records.map(strings => strings.map(string => `"${string}"`).join(''))
    const answers = quoted.map(data => ({ name, type: 16, TTL: 300, data }))
    const answer = typeof found === 'string' ? { Status: STATUS[found] } : { Status: 0, Answer: answers }
    const json = JSON.stringify({ Question: [{ name, type: 16 }], ...answer })
    res.setHeader('Content-Type', 'application/dns-json').end(json)
  })
}
