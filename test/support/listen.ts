import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Listens on a port of loopback; returns the port. */
export async function listen(server: Server): Promise<number> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
