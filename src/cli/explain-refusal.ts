import type { CountingDnsServer } from '../testing/dns-server.ts'

/** What may explain an answer that is not 2xx: whether the receiver could get the key at all. */
export function explainRefusal(keyId: string, dns: CountingDnsServer | undefined): string[] {
  if (dns === undefined) {
    return [
      `The receiver needs the record of ${keyId}: publish the one above, or have it served here with --serve-dns ` +
        '127.0.0.1:5353 and give createVerifier in the receiver this line:',
      lookupLine('127.0.0.1:5353')
    ]
  }
  const asked = dns.queries(keyId)
  if (asked > 0) {
    return [
      `The receiver did get the key: ${keyId} was asked for ${asked === 1 ? 'once' : `${asked} times`} at ${dns.address}. Its own log ` +
        'says why it refused: explain(verdict).'
    ]
  }
  const others = dns.queries()
  const seen =
    others > 0
      ? `The DNS server at ${dns.address} was asked for other names, never for ${keyId}`
      : `Nobody asked the DNS server at ${dns.address}`
  return [
    `${seen}: the receiver refused before it looked for the key, or asks another server. For it to ask this one, give ` +
      'createVerifier this line:',
    lookupLine(dns.address)
  ]
}

const lookupLine = (address: string): string => `  lookupTxt: dnsTxtLookup({ servers: ['${address}'] })`
