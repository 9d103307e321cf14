import { expect, test } from 'vitest'
import { cdnIn } from '../../../src/explain/cdn.ts'

test.each([
  ['X-Amz-Cf-Id: a', 'CloudFront'],
  ['Via: 1.1 abc.cloudfront.net (CloudFront)', 'CloudFront'],
  ['CF-Ray: 230b030023ae2822-SJC', 'Cloudflare'],
  ['CDN-Loop: cloudflare; loops=1', 'Cloudflare'],
  ['Fastly-Client-IP: 192.0.2.1', 'Fastly'],
  ['X-Served-By: cache-fra-1', 'Fastly'],
  ['CDN-Loop: Fastly', 'Fastly'],
  ['X-Azure-FDID: a0a0a0a0', 'Azure Front Door'],
  ['Via: 1.1 Azure', 'Azure Front Door'],
  ['Akamai-Origin-Hop: 2', 'Akamai'],
  ['Via: 1.1 v1-akamaitech.net(ghost) (AkamaiGHost)', 'Akamai'],
  ['CDN-Loop: akamai;v=1.0', 'Akamai'],
  ['Via: 1.1 google', "Google Cloud's load balancer"],
  ['Via: 1.1 googlebot', undefined],
  ['X-Via: 1.1 azure', undefined],
  ['Forwarded: for=cloudflare', undefined]
])('a request with %s came through %s', (line, name) => {
  expect(cdnIn(['Host: receiver.example', line])?.name).toBe(name)
})

test('a request without header lines came through no CDN', () => {
  expect([cdnIn(), cdnIn([])]).toEqual([undefined, undefined])
})
