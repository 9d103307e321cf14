/** One format of captures: what the documentation and the messages say of it. */
export interface Format {
  readonly name: string
  /** how a file of it is recognised */
  readonly recognized: string
  readonly read: string
  readonly hasBody: 'yes' | 'no' | 'parsed' | 'printable part'
}

/** Every format that `explain`, `send --request` and `key --request` read. The page of the command line prints it. */
export const FORMATS = [
  {
    name: 'raw HTTP/1.1',
    recognized: 'a request line, `POST /hook HTTP/1.1`',
    read: 'as from a socket: CRLF or LF, chunked or not, several requests one after the other',
    hasBody: 'yes'
  },
  {
    name: 'HTTP/2 head',
    recognized: '`:method`, `:path`',
    read: 'one field a line, or names and values on separate lines, as browsers copy them',
    hasBody: 'yes'
  },
  {
    name: 'tcpdump -A',
    recognized: 'the line of a packet',
    read: 'the packets of each connection',
    hasBody: 'printable part'
  },
  { name: 'curl -v', recognized: 'lines with `> `', read: 'the head that was sent', hasBody: 'no' },
  {
    name: 'curl command',
    recognized: '`curl` at the start',
    read: 'as people or "copy as cURL" write it, for a POSIX shell or for cmd.exe',
    hasBody: 'yes'
  },
  {
    name: 'HAR',
    recognized: '`log.entries`, or one entry',
    read: 'its `startedDateTime` is the time of the check',
    hasBody: 'yes'
  },
  {
    name: 'AWS Lambda event',
    recognized: '`httpMethod` or `rawPath`',
    read:
      'by `fromLambdaEvent`; the time is that of `requestContext`; a load balancer whose `X-Forwarded-Proto` is ' +
      '`https` counts as HTTPS',
    hasBody: 'yes'
  },
  {
    name: 'CloudWatch and Cloud Logging',
    recognized: '`message`, `textPayload`, `jsonPayload`, `results`, or a line that ends with JSON',
    read: "a function's event, or a request, that the function has logged",
    hasBody: 'yes'
  },
  {
    name: "ngrok's inspector",
    recognized: '`requests[].request.raw`',
    read: 'a file of `/api/requests/http`, or `explain http://127.0.0.1:4040/` (loopback only)',
    hasBody: 'yes'
  },
  {
    name: 'wrangler tail as JSON',
    recognized: '`event.request`',
    read: 'method, URL and headers, without what Cloudflare redacts; the time is `eventTimestamp`',
    hasBody: 'no'
  },
  {
    name: 'Hookdeck request or event',
    recognized: '`data.parsed_query`',
    read: 'path, query and headers; it has no method, so POST is assumed; the time is `ingested_at`',
    hasBody: 'parsed'
  },
  {
    name: "Svix Play's history",
    recognized: '`data[].method`',
    read: 'a body in base64 is decoded if the digest then fits; the time is `createdAt`',
    hasBody: 'yes'
  },
  {
    name: 'webhook.site',
    recognized: '`method`, `url`, `content`',
    read: 'one request, or the list under `data`; the time is `created_at`',
    hasBody: 'yes'
  },
  {
    name: 'Postman collection',
    recognized: '`info`, `item`',
    read: 'each request as it would be sent; the body of mode `raw`',
    hasBody: 'yes'
  },
  {
    name: 'Insomnia export (version 4)',
    recognized: '`_type: export`',
    read: 'each request as it would be sent; of version 5, which is YAML, export a HAR',
    hasBody: 'yes'
  },
  { name: 'mitmproxy dump', recognized: 'a tnetstring', read: 'the flows of `mitmdump -w FILE`', hasBody: 'yes' },
  {
    name: 'other JSON',
    recognized: '`method` and `url`, `target` or `path`',
    read: 'headers as an object, pairs, or `{ name, value }`; an array, one a line, or under `data`, `req` or `request`',
    hasBody: 'yes'
  },
  {
    name: 'fixture',
    recognized: '`vectors`, or `request` with `dns` or `options`',
    read: 'from a recorder, `captureFixture` or the package `signed-requests-vectors`',
    hasBody: 'yes'
  }
] as const satisfies readonly Format[]

/** A parser is registered under the name of its format; a test has a file of each. */
export type FormatName = (typeof FORMATS)[number]['name']

/** Lists the formats, for a person. */
export const formatNames = (): string => FORMATS.map(({ name }) => name).join(', ')

/** Writes the table for the page of the command line. */
export const formatTable = (): string =>
  [
    '| format | recognised by | what is read | has the body |',
    '|---|---|---|---|',
    ...FORMATS.map(({ name, recognized, read, hasBody }) => `| ${name} | ${recognized} | ${read} | ${hasBody} |`)
  ].join('\n')
