import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NOT_A_CAPTURE, readCapture } from '../../../cli/captures/read-capture.ts'

/** The file has a few lines of each proxy, under its name. */
const file = readFileSync(new URL('access-logs.txt', import.meta.url), 'utf8')
const LOGS = new Map(Array.from(file.matchAll(/^# (.+)\n((?:(?!# ).+\n)+)/gm), ([, name, log]) => [name!, log!]))

test.each([
  ['ALB', 'the access log of an Application Load Balancer, which records no headers: log the event'],
  ['CloudFront', 'the access log of CloudFront'],
  ['CloudFront without its head', 'the access log of CloudFront, whose real-time logs'],
  ['CloudFront in real time', 'a real-time log of CloudFront, which cuts the headers (cs-headers) and has no body'],
  ['CloudFront in real time, with other fields', 'a real-time log of CloudFront'],
  ['HAProxy', 'the log of HAProxy, which records headers only with http-request capture'],
  ['HAProxy on standard output', 'the log of HAProxy'],
  ['Caddy', 'the access log of Caddy'],
  ['nginx', 'an access log, which has no headers: nginx writes JSON that explain reads with a log_format'],
  ['Apache, with the name of the site first', 'Apache all headers with mod_log_forensic'],
  ['Traefik', 'the access log of Traefik'],
  ['Traefik as JSON', 'the access log of Traefik']
])('the log of %s is recognised, with what that proxy can record instead', (name, says) => {
  expect(() => readCapture(Buffer.from(LOGS.get(name)!))).toThrow(says)
})

const TRAEFIK = '" 401 0 "-" "curl" 12 "a" "b" 5ms'
const HAPROXY = '[06/Feb/2009:12:14:14.655] a b/c 10/0/30/69/109 200 '
const CLOUDFRONT = '2019-12-04\t21:02:31\tLAX1\t'

test.each<[log: string, says: string]>([
  ...['http', 'https', 'h2', 'grpcs', 'ws', 'wss'].map((protocol): [string, string] => [
    `${protocol} 2018-07-02T22:23:00.1Z app/a b`,
    'Balancer, which records no headers: log the event in a Lambda target, or tcpdump -A'
  ]),
  ['x\nh2 2018-07-02T22:23:00Z net/a b', 'Application Load Balancer'],
  ['#Version: 1.0\r\n#Fields: timestamp\tx', 'CloudFront, whose real-time logs have headers (cs-headers)'],
  ['#Version: 1.0\n#Fields: date x', 'but cut them, and no body: capture at the origin, where tcpdump -A'],
  [CLOUDFRONT, 'CloudFront, whose'],
  [`a\n${CLOUDFRONT.replace('LAX1', 'LAX12-C1')}`, 'CloudFront, whose'],
  ['1606752000.123\t1', 'CloudFront, which cuts the headers (cs-headers) and has no body: capture at the origin'],
  ['x\n1606752000.123\t1', 'where tcpdump -A has all of a request'],
  ['\t\tABC123-D45\t', 'a real-time log'],
  [`${'\t'.repeat(60)}ABC1-D4\t`, 'a real-time log'],
  ['x haproxy[12]: a', 'no body: tcpdump -A between it and the receiver shows whole requests'],
  [HAPROXY, 'the log of HAProxy, which records headers only with http-request capture req.hdrs len 8192, and'],
  [HAPROXY.replace('10/0/30/69/109', '-1/-1/-1/-1/+109'), 'the log of HAProxy'],
  ['{"logger":"http.log.access"}', 'the access log of Caddy, which has the headers and no body: tcpdump -A'],
  ['{"logger":  "http.log.access.a"}', 'of Caddy'],
  ['{"msg":"handled request"}', 'of Caddy'],
  ['{"msg":  "handled request"}', 'of Caddy'],
  ...['RequestMethod', 'RouterName', 'DownstreamStatus'].map((name): [string, string] => [
    `{"${name}":1}`,
    'of Traefik, which records headers only with accessLog.fields.headers.defaultMode: keep, and no body: tcpdump -A'
  ]),
  [TRAEFIK, 'of Traefik'],
  [`${TRAEFIK.replace('5ms', '15ms')} \nx`, 'of Traefik'],
  [
    'a - - [x] "',
    'reads with a log_format of { method, url, headers, body } (the page The command line has one), Apache all'
  ],
  ['x\na:1 - - b [x y] "', 'and the body with mod_dumpio; tcpdump -A between it']
])('the line %j is known as one of a log: %s', (log, says) => {
  expect(() => readCapture(Buffer.from(log))).toThrow(says)
})

test.each([
  ...['grpc 2018-07-02T22:23:00Z app/a b', 'xhttp 2018-07-02T22:23:00Z app/a b', 'h2 018-07-02T22:23:00Z app/a b'],
  ...[
    'h2 2018-7-02T22:23:00Z app/a b',
    'h2 2018-07-2T22:23:00Z app/a b',
    'h2 2018-07-02TZ app/a b',
    'h2 2018-07-02T22Z app/ b'
  ],
  ...[
    '#Version: 1x0\n#Fields: date x',
    '#Version: 1.0\n#Fields: dates x',
    '#Version: 1.0\n#Fields: x',
    'x#Version: 1.0\n#Fields: date x'
  ],
  ...['x2019-', '019-', '2019-1-', '2019-12-1'].map(start => CLOUDFRONT.replace(/^2019-(?:12-)?/, start)),
  ...['1:02:31', '21:2:31', '21:02:1'].map(time => CLOUDFRONT.replace('21:02:31', time)),
  ...['LA1', 'lax1', 'LAX', 'LAX1/C'].map(place => CLOUDFRONT.replace('LAX1', place)),
  ...['x1606752000.123\t1', '606752000.123\t1', '1606752000.12\t1', '1606752000x123\t1', '1606752000.123 1'],
  ...['ABC1-D4', 'a\tAB1-D4', 'a\tABC-D4', 'a\tABC1234-D4', 'a\tABC1-4', 'a\tABC1-D', 'a\tABC1-D456', 'a\tabc1-D4'].map(
    line => `${line}\t`
  ),
  `${'\t'.repeat(61)}ABC1-D4\t`,
  ...['xhaproxy[12]: a', 'haproxy[]: a', 'haproxy[1] a', HAPROXY.replace('[06', '[6'), HAPROXY.replace('Feb', 'feb')],
  ...[
    HAPROXY.replace('Feb', 'Fe'),
    HAPROXY.replace('2009', '209'),
    HAPROXY.replace('655', '65'),
    HAPROXY.replace('.655', 'x655')
  ],
  ...[
    HAPROXY.replace(':12:', ':2:'),
    HAPROXY.replace('b/c', 'b'),
    HAPROXY.replace('10/', ''),
    HAPROXY.replace('109', 'x')
  ],
  ...['{"logger":"httpxlog.access"}', '{"logger":"http.logxaccess"}', '{"msg":"x handled request"}'],
  ...[TRAEFIK.replace('401', '41'), TRAEFIK.replace(' 0', ''), TRAEFIK.replace('"-" ', ''), TRAEFIK.replace('12 ', '')],
  ...[TRAEFIK.replace('"a" ', ''), TRAEFIK.replace('5ms', 'ms'), `${TRAEFIK}x`],
  ...['a - [x] "', 'a b c d e [x] "', 'a - - [] "', 'a - - [x "', 'a - - [x]"', 'a - - x "', 'a - - [x] y']
])('the line %j is not taken for one of a log that it is only similar to', log => {
  expect(() => readCapture(Buffer.from(log))).toThrow(NOT_A_CAPTURE)
})
