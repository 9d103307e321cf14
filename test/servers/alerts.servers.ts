import { expect, test } from 'vitest'
import { ALERTS, type AlertCase, askPromtool, type Firing, NONE, type Series } from '../support/alerts.ts'

const verdicts = (status: string, code: string, signed: string, values: string): Series => ({
  series: `signed_requests_verdicts_total{status="${status}",code="${code}",signed="${signed}"}`,
  values
})
const verified = (values: string) => verdicts('verified', '', 'key', values)
const refused = (code: string, signed: string, values: string) => verdicts('rejected', code, signed, values)
const unavailable = (code: string, signed: string, values: string) => verdicts('unavailable', code, signed, values)
const durations = (status: string, le: string, values: string): Series => ({
  series: `signed_requests_verdict_duration_seconds_bucket{status="${status}",le="${le}"}`,
  values
})
const responses = (status: string, upstream: string, values: string): Series => ({
  series: `signed_requests_responses_total{status="${status}",upstream="${upstream}"}`,
  values
})

const scanner = refused('signature-missing', 'no', '0+6000x200')
/** Ten requests a second: under the names of published keys, of other keys, and of names that DNS cannot answer. */
const forger = [
  refused('signature-mismatch', 'no', '0+600x200'),
  refused('key-not-found', 'claimed', '0+600x200'),
  unavailable('key-lookup-failed', 'claimed', '0+60x200')
]

/** Trouble begins after minute 60, so the first sample that shows it is that of minute 61. */
const broken = { working: '0+60x60 3600x60', refused: '0x59 0+60x60' }
const twoMinutes = { working: '0+60x60 3600x1 3660+60x60', refused: '0x59 0+60x2 120x60' }
const each = (from: number, to: number, firing: Firing) =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, i) => [`${from + i}m`, firing]))

const CASES: readonly AlertCase[] = [
  {
    name: 'nothing, while a receiver works under a scanner',
    series: [
      verified('0+60x200'),
      scanner,
      durations('verified', '0.01', '0+60x200'),
      durations('verified', '+Inf', '0+60x200'),
      responses('2xx', 'answered', '0+60x200'),
      responses('4xx', 'not-asked', '0+6000x200')
    ],
    firing: { '30m': NONE, '90m': NONE }
  },
  {
    name: 'nothing, while somebody forges ten requests a second',
    series: [verified('0+60x200'), ...forger],
    firing: { '10m': NONE, '30m': NONE, '90m': NONE }
  },
  {
    name: 'nothing, when a forger begins beside two requests a minute',
    series: [verified('0+2x200'), refused('key-not-found', 'claimed', '0x59 0+600x140')],
    firing: { '61m': NONE, '65m': NONE, '75m': NONE, '120m': NONE }
  },
  {
    name: 'nothing, in a quiet night',
    series: [verified('0+2x60 120x90 120+2x50'), scanner],
    firing: { '65m': NONE, '90m': NONE, '149m': NONE, '155m': NONE }
  },
  {
    name: 'nothing that wakes anybody, in a quiet night under a forger',
    series: [verified('0+2x60 120x90 120+2x50'), scanner, ...forger],
    firing: { '65m': NONE, '90m': NONE, '140m': { Silent: true }, '170m': NONE }
  },
  {
    name: 'nothing, while the sender pauses for ten minutes',
    series: [verified('0+60x60 3600x10 3660+60x100'), scanner],
    firing: each(61, 80, NONE)
  },
  {
    name: 'nothing, for two minutes without a store',
    series: [verified(twoMinutes.working), unavailable('replay-store-failed', 'key', twoMinutes.refused)],
    firing: each(61, 75, NONE)
  },
  {
    name: 'nothing, for two minutes without a store that are scraped every 15 seconds',
    series: [
      verified('0+15x240 3600x7 3615+15x100'),
      unavailable('replay-store-failed', 'key', '0x239 0+15x8 120x100')
    ],
    every: 15,
    firing: each(61, 75, NONE)
  },
  {
    name: 'nothing, for two minutes with another path',
    series: [verified(twoMinutes.working), refused('signature-mismatch', 'key', '0x59 0+3x2 6x60')],
    firing: each(61, 75, NONE)
  },
  {
    name: 'nothing, for two minutes without a key in DNS',
    series: [verified(twoMinutes.working), refused('key-not-found', 'claimed', twoMinutes.refused)],
    firing: each(61, 75, NONE)
  },
  {
    name: 'a rotation that went wrong, at two requests a minute under a scanner',
    series: [verified('0+2x60 120x60'), refused('key-not-found', 'claimed', '_x60 0+2x60'), scanner],
    firing: {
      '60m': NONE,
      '65m': { Missing: 'key-not-found' },
      '80m': { Missing: 'key-not-found', Fewer: 'key-not-found' }
    }
  },
  {
    name: 'a rotation that went wrong, under claims of somebody else',
    series: [
      verified(broken.working),
      refused('key-not-found', 'claimed', broken.refused),
      refused('host-mismatch', 'claimed', '0+72x200'),
      scanner
    ],
    firing: { '60m': NONE, '65m': { Missing: 'key-not-found' } }
  },
  {
    name: 'a key that was withdrawn ten minutes after the start',
    series: [verified('0+60x10 600x60'), refused('key-revoked', 'claimed', '0x9 0+60x60')],
    firing: { '10m': NONE, '15m': { Missing: 'key-revoked' } }
  },
  {
    name: 'a proxy that changes Host',
    series: [verified(broken.working), refused('host-mismatch', 'claimed', broken.refused)],
    firing: { '60m': NONE, '65m': { Missing: 'host-mismatch' } }
  },
  {
    name: 'a proxy that changes the path',
    series: [verified(broken.working), refused('signature-mismatch', 'key', broken.refused)],
    firing: { '60m': NONE, '65m': { Refused: 'signature-mismatch', Changed: true } }
  },
  {
    name: 'a proxy that changes the body',
    series: [verified(broken.working), refused('digest-mismatch', 'key', broken.refused)],
    firing: { '60m': NONE, '65m': { Refused: 'digest-mismatch', Changed: true } }
  },
  {
    name: 'a clock that jumped',
    series: [verified(broken.working), refused('date-too-old', 'claimed', broken.refused)],
    firing: { '60m': NONE, '65m': { Missing: 'date-too-old' } }
  },
  {
    name: 'the clock of one receiver of three',
    series: [verified('0+60x60 3640+40x60'), refused('date-in-future', 'claimed', '0x59 0+20x60')],
    firing: { '60m': NONE, '80m': { Fewer: 'date-in-future' } }
  },
  {
    name: 'a store that is down',
    series: [verified(broken.working), unavailable('replay-store-failed', 'key', broken.refused)],
    firing: { '60m': NONE, '65m': { Unavailable: 'replay-store-failed' } }
  },
  {
    name: 'a store that fails for one request in fifty',
    series: [verified('0+98x120'), unavailable('replay-store-failed', 'key', '0+2x120')],
    firing: { '4m': NONE, '65m': { Unavailable: 'replay-store-failed' } }
  },
  {
    name: 'DNS that is down',
    series: [verified(broken.working), unavailable('key-lookup-timeout', 'claimed', broken.refused)],
    firing: { '60m': NONE, '65m': { Missing: 'key-lookup-timeout' } }
  },
  {
    name: 'an hour without a verified request, in which claims were refused',
    series: [verified('5000 0x120'), refused('key-not-found', 'claimed', '0+1x120')],
    firing: { '75m': { Silent: true } }
  },
  {
    name: 'no receiver that is scraped',
    series: [{ series: 'up', values: '1x120' }],
    firing: { '4m': NONE, '75m': { NotScraped: true } }
  },
  {
    name: 'nothing, for a refused request now and then',
    series: [verified('0+2x120'), refused('replayed', 'key', '0x30 2x30 4x60')],
    firing: { '33m': NONE, '36m': NONE, '64m': NONE, '90m': NONE }
  },
  {
    name: 'nothing, for a few that are late, changed or unanswered among many',
    series: [
      verified('0+1000x120'),
      unavailable('body-unreadable', 'key', '0+9x120'),
      refused('digest-mismatch', 'key', '0x80 0+1x9 9x40'),
      durations('verified', '1', '0+995x120'),
      durations('verified', '5', '0+1000x120'),
      durations('verified', '+Inf', '0+1000x120'),
      responses('2xx', 'answered', '0+1000x120'),
      responses('5xx', 'unreachable', '0+9x120')
    ],
    firing: { '90m': NONE }
  },
  {
    name: 'slow verdicts and an application that does not answer, under a flood of refusals',
    series: [
      verified('0+1000x30'),
      scanner,
      durations('verified', '1', '0+980x30'),
      durations('verified', '5', '0+1000x30'),
      durations('verified', '+Inf', '0+1000x30'),
      durations('rejected', '1', '0+90000x30'),
      durations('rejected', '+Inf', '0+90000x30'),
      responses('2xx', 'answered', '0+980x30'),
      responses('5xx', 'unreachable', '0+4x30'),
      responses('5xx', 'timed-out', '0+4x30'),
      responses('none', 'broken-off', '0+4x30'),
      responses('4xx', 'not-asked', '0+90000x30')
    ],
    firing: { '3m': NONE, '20m': { Slow: true, Upstream: true } }
  }
]

test.each(CASES)('the alerts name $name', one => {
  expect(askPromtool(one)).toContain('SUCCESS')
})

test('every alert is named by a case', () => {
  const named = new Set(CASES.flatMap(({ firing }) => Object.values(firing).flatMap(Object.keys)))
  expect([...named].map(name => `SignedRequests${name}`).sort()).toEqual(ALERTS.map(({ alert }) => alert).sort())
})
