import { cpus, loadavg } from 'node:os'
import type { Timing } from './rounds.ts'

/** Prints the machine and the load under which the figures below were taken. */
export function printMachine(): void {
  const [cpu] = cpus()
  console.log(
    `Node ${process.version}, ${cpus().length} x ${cpu?.model.trim()}, load ${loadavg()[0]!.toFixed(1)} at the start`
  )
}

export function printTimings(title: string, timings: readonly Timing[]): void {
  const width = Math.max(...timings.map(timing => timing.name.length))
  console.log(`\n${title}`)
  console.log(`${''.padEnd(width)}   median   low 10 %   x median   x low`)
  for (const { name, note, median, low, ratio, lowRatio } of timings) {
    const figures = [us(median).padStart(9), us(low).padStart(10), times(ratio), times(lowRatio).slice(3)]
    console.log(`${name.padEnd(width)}${figures.join(' ')}${note && `   ${note}`}`)
  }
}

const us = (time: number): string => `${time >= 1000 ? time.toFixed(0) : time.toFixed(1)} us`
const times = (ratio: number): string => ratio.toFixed(2).padStart(10)
