import { createServer, type Server } from 'node:http'
import type { DnsOutcome, TxtRecords } from '../support/dns-answer.ts'

/** RFC 1035 section 4.1.1 */
const RCODE: Partial<Record<DnsOutcome, number>> = { nodata: 0, servfail: 2, nxdomain: 3, refused: 5 }

/**
 * What node:dns of workerd asks: DNS over HTTPS with answers in JSON, the strings of a record in quotes.
 *
 * @param answerTo gets the name exactly as it was asked for
 */
export function createDnsOverHttps(answerTo: (name: string) => TxtRecords | DnsOutcome): Server {
  return createServer((req, res) => {
    const name = new URL(req.url ?? '', 'http://dns').searchParams.get('name') ?? ''
    const found = answerTo(name)
    const answer =
      typeof found === 'string'
        ? { Status: RCODE[found] }
        : {
            Status: 0,
            Answer: found.map(strings => {
              const data = strings.map(string => `"${string}"`).join('')
              return { name, type: 16, TTL: 300, data }
            })
          }
    res
      .setHeader('Content-Type', 'application/dns-json')
      .end(JSON.stringify({ Question: [{ name, type: 16 }], ...answer }))
  })
}
