import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readCapture } from '../../../cli/captures/read-capture.ts'

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
