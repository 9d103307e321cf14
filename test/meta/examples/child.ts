import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import './resolver.ts'

// Runs a recipe in a process of its own: `child.ts <file>`. Reports its port, and then, when asked, the growth of its
// memory.
const [, , file = ''] = process.argv
const { server }: { server: Server } = await import(file)
if (!server.listening) await once(server, 'listening')
process.send?.({ port: (server.address() as AddressInfo).port })

let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 5).unref()

process.on('message', message => {
  if (message === 'start') peak = process.memoryUsage.rss()
  process.send?.({ rss: Math.max(peak, process.memoryUsage.rss()) })
})
