import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCapture } from '../../../../src/cli/captures/read-capture.ts'
import { quoteForCmd, quoteForOldCmd, quoteForPowerShell } from './build.ts'

const readAll = (command: string) =>
  readCapture(Buffer.from(command)).map(({ request: { method, target, headers, body }, notes }) => ({
    method,
    target,
    headers,
    body: body && Buffer.from(body as Uint8Array).toString(),
    notes
  }))
const read = (command: string) => readAll(command)[0]!

/** Whatever a browser may have to write, but for half a character. */
const texts = fc.string({ unit: fc.constantFrom(...'aZ0 "\'\\^%$`&|<>(){}[]!;,=@#~*?\n\t\u00e9\u20ac\u{1f600}n^"') })

describe('a body comes back as it was', () => {
  test.each<[string, (body: string) => string]>([
    ['for cmd.exe', body => `curl ^"https://a.example/^" ^\n  --data-raw ${quoteForCmd(body)}`],
    [
      'for cmd.exe, in older browsers',
      body => `curl "https://a.example/" ^\n  -H "a: b" ^\n  --data-raw ${quoteForOldCmd(body)}`
    ],
    ['for PowerShell', body => `Invoke-WebRequest -Uri "https://a.example/" \`\n-Body ${quoteForPowerShell(body)}`],
    ['as fetch()', body => `await fetch("https://a.example/", ${JSON.stringify({ body })});`]
  ])('%s', (_, write) => {
    fc.assert(
      fc.property(
        texts.filter(text => text !== '' && !text.startsWith('@')),
        body => {
          expect(read(write(body)).body).toBe(body)
        }
      ),
      { numRuns: 500, seed: 11 }
    )
  })
})

test('Chrome for Windows: copied as cURL (cmd)', () => {
  const command = `curl ^"https://a.example/hook?id=1^&b=^%^20^" ^
  -X ^"PUT^" ^
  -H ^"accept: */*^" ^
  -H ^"sec-ch-ua: ^\\^"Chromium^\\^";v=^\\^"152^\\^"^" ^
  -H ^"x-empty;^" ^
  -b ^"a=b; c=d^" ^
  --data-raw ^"^{^\\^"a^\\^":^\\^"x^\\^\\^\\^\\n^\\^"^}^" ^
  --insecure`
  expect(read(command)).toEqual({
    method: 'PUT',
    target: '/hook?id=1&b=%20',
    headers: [
      ['Host', 'a.example'],
      ['accept', '*/*'],
      ['sec-ch-ua', '"Chromium";v="152"'],
      ['x-empty', ''],
      ['Cookie', 'a=b; c=d'],
      ['Content-Length', '12']
    ],
    body: '{"a":"x\\\\n"}',
    notes: []
  })
})

test('all requests of a tab, copied as cURL or as fetch()', () => {
  const targets = (text: string) => readAll(text).map(({ target }) => target)
  expect(targets("curl 'https://a.example/1' \\\n  -H 'a: b' ;\ncurl 'https://a.example/2'")).toEqual(['/1', '/2'])
  expect(targets('curl ^"https://a.example/1^" &\r\ncurl ^"https://a.example/2^"')).toEqual(['/1', '/2'])
  expect(targets('fetch("https://a.example/1", {});\nfetch("https://a.example/2");')).toEqual(['/1', '/2'])
  const powerShell = ['1', '2'].map(n => `Invoke-WebRequest -UseBasicParsing -Uri "https://a.example/${n}"`)
  expect(targets(powerShell.join(';\r\n'))).toEqual(['/1', '/2'])
})

test('PowerShell, with a session, and with single quotes and names without quotes', () => {
  expect(
    read(`$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0"
$session.Cookies.Add((New-Object System.Net.Cookie("a", "b", "/", "a.example")))
$session.Cookies.Add((New-Object System.Net.Cookie("c", "d", "/", "a.example")))
Invoke-WebRequest -UseBasicParsing -Uri "https://a.example/hook" \`
-Method "POST" \`
-WebSession $session \`
-Headers @{
"authority"="a.example"
  "method"="POST"
  "path"="/hook"
  "scheme"="https"
  "x-price"="\`$1 \`"x\`" $([char]8364)"
} \`
-ContentType "text/plain" \`
-Body ([System.Text.Encoding]::UTF8.GetBytes("$([char]8364)"))`)
  ).toMatchObject({
    method: 'POST',
    headers: [
      ['Host', 'a.example'],
      ['x-price', '$1 "x" \u00e2\u0082\u00ac'],
      ['User-Agent', 'Mozilla/5.0'],
      ['Cookie', 'a=b; c=d'],
      ['Content-Type', 'text/plain'],
      ['Content-Length', '3']
    ],
    body: '\u20ac'
  })
  const short = "irm -Uri 'https://a.example/x' -Method Post -Headers @{ Accept = 'a'; 'X-B' = \"c\" } -Body '{}'"
  expect(read(short)).toMatchObject({
    method: 'Post',
    headers: [
      ['Host', 'a.example'],
      ['Accept', 'a'],
      ['X-B', 'c'],
      ['Content-Length', '2']
    ],
    body: '{}'
  })
})

test('says what a browser leaves out of fetch()', () => {
  const [note] = read('fetch("https://a.example/", {\n  "headers": { "signature": "x" },\n  "method": "GET"\n});').notes
  expect(note).toContain('leaves out Host, Date, Content-Length and cookies')
})

test.each([
  ["fetch('https://a.example/', { method: 'POST' })", 'not as a browser copies it'],
  ['fetch(url)', 'not as a browser copies it'],
  [`fetch("https://a.example/", ${'['.repeat(10_000)}`, 'levels of nested JSON']
])('%s is a mistake, in one line', (text, says) => expect(() => readAll(text)).toThrow(says))

describe('the log of a proxy is recognised, with what that proxy can record instead', () => {
  test.each<[proxy: string, line: string, says: string]>([
    [
      'ALB',
      'https 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/ HTTP/1.1" "curl/7.46.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337281-1d84f3d73c47ec4e58577259" "www.example.com" "-" 1 2018-07-02T22:22:48.364000Z "authenticate,forward" "-" "-" "10.0.0.1:80" "200" "-" "-"',
      'the access log of an Application Load Balancer, which records no headers: log the event'
    ],
    [
      'CloudFront',
      '#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status\n2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tGET\td111111abcdef8.cloudfront.net\t/index.html\t200',
      'the access log of CloudFront'
    ],
    [
      'CloudFront without its head',
      '2019-12-04\t21:02:31\tLAX50-C1\t392\t192.0.2.100\tGET\td111111abcdef8.cloudfront.net\t/index.html\t200\t-\tMozilla',
      'capture at the origin'
    ],
    [
      'HAProxy',
      'Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"',
      'the log of HAProxy, which records headers only with http-request capture'
    ],
    [
      'HAProxy on standard output',
      '10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in~ static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET /index.html HTTP/1.1"',
      'the log of HAProxy'
    ],
    [
      'Caddy',
      '{"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/","headers":{"User-Agent":["curl/7.82.0"]},"tls":{"version":772}},"bytes_read":0,"status":200,"resp_headers":{}}',
      'the access log of Caddy'
    ],
    [
      'nginx',
      '127.0.0.1 - - [22/Nov/2026:13:00:00 +0000] "POST /hook HTTP/1.1" 401 0 "-" "curl/8"',
      'nginx writes JSON that explain reads with a log_format'
    ],
    [
      'Apache, with the name of the site first',
      'a.example:443 127.0.0.1 - - [22/Nov/2026:13:00:00 +0000] "POST /hook HTTP/1.1" 401 0 "-" "curl/8"',
      'Apache all headers with mod_log_forensic'
    ],
    [
      'Traefik',
      '192.168.1.1 - - [22/Nov/2026:13:00:00 +0000] "POST /hook HTTP/1.1" 401 0 "-" "curl/8" 12 "hook@docker" "http://10.0.0.2:80" 5ms',
      'the access log of Traefik'
    ],
    [
      'Traefik as JSON',
      '{"ClientAddr":"10.0.0.1:4","ClientHost":"10.0.0.1","DownstreamStatus":401,"Duration":5,"RequestMethod":"POST","RequestPath":"/hook","RouterName":"hook@docker","level":"info","time":"2026-11-22T13:00:00Z"}',
      'the access log of Traefik'
    ]
  ])('%s', (_, line, says) => expect(() => readAll(`${line}\n`)).toThrow(says))
})
