import { quantile } from '../rounds.ts'
import type { Receiver } from './child.ts'
import type { Outcome } from './load.ts'
import type { Usage } from './receiver.ts'
import { CONNECTIONS, type Setting } from './setting.ts'

const ROUNDS = 5
const ROUND_SECONDS = 3
const LEAST_OF_FLOOR = 0.95
/** Other work of the machine may spoil a median once or twice. */
const ATTEMPTS = 3

/** Compares requests per second with a server that does only the floor; returns the broken promises. */
export async function besideTheFloor(setting: Setting): Promise<string[]> {
  console.log(`\n${CONNECTIONS} connections, 1 KB bodies; every request asks DNS, or waits for the query in flight`)
  for (let attempt = 1; ; attempt++) {
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const floor = await drive(setting, 'floor', setting.floor)
      const ours = await drive(setting, 'ours', setting.ours)
      ratios.push(ours.perSecond / floor.perSecond)
    }
    const ratio = quantile(ratios, 0.5)
    console.log(`ours / floor: ${ratio.toFixed(2)}, the median of ${ROUNDS}; at least ${LEAST_OF_FLOOR}`)
    if (ratio >= LEAST_OF_FLOOR) return []
    if (attempt === ATTEMPTS) return [`only ${ratio.toFixed(2)} of the floor's requests per second`]
  }
}

async function drive(setting: Setting, name: string, receiver: Receiver): Promise<Outcome> {
  await receiver.usage()
  const queries = setting.dnsQueries()
  const outcome = await setting.send(receiver, { requests: setting.sign(), seconds: ROUND_SECONDS })
  print(name, outcome, await receiver.usage(), (setting.dnsQueries() - queries) / ROUND_SECONDS)
  const { answers, errors } = outcome
  if (errors > 0 || Object.keys(answers).join() !== '200') {
    throw new Error(`${name} answered ${JSON.stringify(answers)}, errors: ${errors}`)
  }
  return outcome
}

function print(name: string, { perSecond, p50, p99 }: Outcome, usage: Usage, queries: number): void {
  const { cpuMicroseconds, busy, delay } = usage
  const cpu = cpuMicroseconds / (perSecond * ROUND_SECONDS)
  const figures = [
    `${name.padEnd(6)}${perSecond.toFixed(0).padStart(7)} requests/s`,
    `p50 ${p50} ms, p99 ${p99} ms`,
    `CPU ${cpu.toFixed(0)} us each, loop ${(busy * 100).toFixed(0)} % busy`,
    `timers late by ${delay.p50.toFixed(1)} ms, p99 ${delay.p99.toFixed(1)} ms`,
    `${queries.toFixed(0)} DNS queries/s`
  ]
  console.log(figures.join('   '))
}
