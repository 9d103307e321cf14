import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ReceivedRequest } from '../../src/index.ts'
import { RESOLVER, startDnsWorld, type ZoneSpec } from '../servers/key/dns-world.ts'
import { startDohServer } from '../support/doh-server.ts'
import { runThere } from './namespace.ts'
import type { Lookups } from './program/lookups.ts'

/**
 * Starts BIND with the zones, unbound as the resolver, and DNS over HTTPS in front of unbound; then the program on each
 * runtime. Prints what each program has printed, as JSON by name.
 */
export interface AliasesSetting {
  zones: Readonly<Record<string, ZoneSpec>>
  requests: readonly ReceivedRequest[]
  folder: string
  commands: Readonly<Record<string, readonly [string, ...string[]]>>
}

const { zones, requests, folder, commands }: AliasesSetting = JSON.parse(process.argv[2]!)
const world = await startDnsWorld(zones)
const doh = await startDohServer({})
doh.respond = async (_, response, query) => {
  const socket = connect(53, RESOLVER)
  socket.end(Buffer.concat([Buffer.of(query.length >> 8, query.length & 0xff), query]))
  const reply = await buffer(socket)
  response.setHeader('Content-Type', 'application/dns-message').end(reply.subarray(2))
}
const input: Lookups = { requests, ways: [{ servers: [RESOLVER] }, { url: doh.url }] }
writeFileSync(join(folder, 'aliases.json'), JSON.stringify({ task: 'lookups', input }))
const results: Record<string, unknown> = {}
try {
  for (const [name, command] of Object.entries(commands))
    results[name] = await runThere(folder, [...command, 'main.mjs', 'aliases.json'])
} finally {
  await doh.close()
  await world.close()
}
console.log(JSON.stringify(results))
