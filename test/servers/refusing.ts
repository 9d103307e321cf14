import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createVerifier, nodeHandler } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'

// Refuses in a process of its own, whose memory nothing else uses: `refusing.ts <options as JSON>`.
const [, , options = '{}'] = process.argv
const service = createTestService()
const verify = createVerifier({ ...service.options, requireHttps: false })
const server = createServer(nodeHandler(verify, () => {}, JSON.parse(options)))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 5).unref()

process.on('message', message => {
  if (message === 'start') peak = process.memoryUsage.rss()
  process.send?.({ rss: Math.max(peak, process.memoryUsage.rss()) })
})
