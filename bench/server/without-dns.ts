import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../rounds.ts'
import { createCounter, type Setting } from './setting.ts'

/** After these seconds the DNS server stops, is back, and the run ends. */
const [GONE, BACK, END] = [6, 16, 26]
const SECONDS_TO_FULL_SPEED = 2
/** This share counts as full speed on a machine that does other work too. */
const FULL_SPEED = 0.85

/** Other work of the machine may spoil the speed of a run. */
const ATTEMPTS = 3

/** Stops the DNS server for ten seconds under load; returns the broken promises. */
export async function withoutDns(setting: Setting): Promise<string[]> {
  const broken: string[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { others, isFastAgain } = await loseDns(setting)
    if (others.length > 0) broken.push(`without DNS, honest requests were answered with ${others.join(', ')}`)
    if (setting.ours.crashed()) return [...broken, 'without DNS, the receiver crashed']
    if (isFastAgain) return broken
  }
  return [...broken, 'DNS was back, but not the speed']
}

async function loseDns(setting: Setting) {
  console.log(`\nThe DNS server stops after ${GONE} s and is back after ${BACK} s; answers by second`)
  const seconds: Record<string, number>[] = []
  const all = createCounter()
  let now = createCounter()
  const tick = setInterval(() => {
    console.log(`${String(seconds.length).padStart(4)}   ${JSON.stringify(now.counts)}`)
    seconds.push(now.counts)
    now = createCounter()
  }, 1000)
  const outage = async () => {
    await sleep(GONE * 1000)
    await setting.stopDns()
    await sleep((BACK - GONE) * 1000)
    await setting.startDns()
  }
  const onAnswer = (_: unknown, status: number) => {
    all.add(status)
    now.add(status)
  }
  await Promise.all([outage(), setting.send(setting.ours, { requests: setting.sign(), seconds: END, onAnswer })])
  clearInterval(tick)

  const accepted = seconds.map(counts => counts['200'] ?? 0)
  const before = quantile(accepted.slice(1, GONE - 1), 0.5)
  const after = quantile(accepted.slice(BACK + SECONDS_TO_FULL_SPEED), 0.5)
  const full = accepted.findIndex((count, i) => i >= BACK && count >= FULL_SPEED * before)
  console.log(`accepted per second: ${before} before, ${after} after; full speed in second ${full - BACK + 1} of DNS`)
  return {
    others: Object.keys(all.counts).filter(status => status !== '200' && status !== '503'),
    isFastAgain: full >= 0 && full <= BACK + SECONDS_TO_FULL_SPEED
  }
}
