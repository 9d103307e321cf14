import { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import '../examples/resolver.ts'

// This file is loaded before a receiver in a process of its own: lookups ask DNS_SERVER, and the parent gets the port.
const { listen } = Server.prototype
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  this.once('listening', () => process.send?.({ port: (this.address() as AddressInfo).port }))
  return Reflect.apply(listen, this, args)
} as typeof listen
