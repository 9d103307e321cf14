import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { VerifierOptions } from '../../src/index.ts'
import { type Bare, bareReceiver } from '../bare-receiver.ts'
import { main } from '../dist.ts'

/** The parent sends this first. */
export interface Setup {
  /** for the floor alone */
  floor?: Bare
  /** or for a real verification, with the key from this DNS server */
  verifier?: Omit<VerifierOptions, 'lookupTxt'> & { dnsServer: string }
}

/** Holds the receiver's usage since the last question. */
export interface Usage {
  cpuMicroseconds: number
  /** part of the time in which the event loop was busy */
  busy: number
  /** milliseconds by which a timer is late: the median and the 99th percentile */
  delay: { p50: number; p99: number }
}

process.once('message', (setup: Setup) => {
  const server = createServer(setup.floor === undefined ? verifying(setup.verifier!) : bareReceiver(setup.floor))
  server.listen(0, '127.0.0.1', () => {
    process.send!((server.address() as AddressInfo).port)
    process.on('message', () => process.send!(usage()))
  })
})
process.once('disconnect', () => process.exit())

function verifying({ dnsServer, ...options }: NonNullable<Setup['verifier']>): RequestListener {
  const lookupTxt = main.dnsTxtLookup({ servers: [dnsServer] })
  const verify = main.createVerifier({ ...options, lookupTxt })
  return async (request, response) => {
    const verdict = await verify(main.fromNodeRequest(request))
    response.statusCode = main.httpStatus(verdict)
    response.end()
  }
}

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
let cpu = process.cpuUsage()
let loop = performance.eventLoopUtilization()

function usage(): Usage {
  const used = process.cpuUsage(cpu)
  const { utilization } = performance.eventLoopUtilization(loop)
  const [p50, p99] = [50, 99].map(p => Math.max(0, delay.percentile(p) / 1e6 - 10))
  delay.reset()
  cpu = process.cpuUsage()
  loop = performance.eventLoopUtilization()
  return {
    cpuMicroseconds: used.user + used.system,
    busy: utilization,
    delay: { p50: p50!, p99: p99! }
  }
}
