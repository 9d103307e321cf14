import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { RESOLVER, startDnsWorld, type ZoneSpec } from '../servers/key/dns-world.ts'
import { startDohServer } from '../support/doh-server.ts'

/**
 * Runs in a network namespace of its own: starts BIND with the zones, unbound as the resolver, and DNS over HTTPS in
 * front of unbound; then the program on each runtime. Prints what each program has printed, as JSON by name.
 */
interface Setting {
  readonly zones: Readonly<Record<string, ZoneSpec>>
  readonly folder: string
  readonly commands: Readonly<Record<string, readonly string[]>>
}

const { zones, folder, commands }: Setting = JSON.parse(process.argv[2]!)
const world = await startDnsWorld(zones)
const doh = await startDohServer({})
doh.respond = async (_, response, query) => {
  const socket = connect(53, RESOLVER)
  socket.end(Buffer.concat([Buffer.of(query.length >> 8, query.length & 0xff), query]))
  const reply = await buffer(socket)
  response.setHeader('Content-Type', 'application/dns-message').end(reply.subarray(2))
}
const results: Record<string, string> = {}
try {
  const env = { ...process.env, DENO_NO_UPDATE_CHECK: '1' }
  for (const [name, [tool, ...args]] of Object.entries(commands)) {
    const all = [...args, 'aliases.mjs', RESOLVER, doh.url]
    results[name] = (await promisify(execFile)(tool!, all, { cwd: folder, env })).stdout
  }
} finally {
  await doh.close()
  await world.close()
}
console.log(JSON.stringify(results))
