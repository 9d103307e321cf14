import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Redis } from 'ioredis'
import { inspect, startRedis } from './redis.ts'

const run = promisify(execFile)

/** Starts a Redis Cluster of three primaries, each with a replica. */
export async function startCluster() {
  const settings = ['--cluster-node-timeout', '2000']
  const servers = await Promise.all(
    Array.from({ length: 6 }, () => startRedis({ durable: true, cluster: true, settings }))
  )
  const nodes = servers.map(({ port }) => inspect(port))
  await Promise.all(servers.slice(0, 3).map(({ port }, at) => addSlots(inspect(port), at)))
  for (const [at, { port }] of servers.entries())
    if (at > 0) await nodes[0]!.call('CLUSTER', 'MEET', '127.0.0.1', port, await busPort(nodes[at]!))
  for (const at of [0, 1, 2]) {
    const id = await idOf(nodes[at]!)
    while (!String(await nodes[at + 3]!.cluster('NODES')).includes(id)) await sleep(20)
    await nodes[at + 3]!.cluster('REPLICATE', id)
  }
  for (const node of nodes) while (!(await isWhole(node))) await sleep(50)
  return {
    servers,
    nodes,
    ports: servers.map(({ port }) => port),
    /** Moves slots from the first primary to the second, with their keys. */
    async migrate(slots: number): Promise<void> {
      const [from, to] = [await idOf(nodes[0]!), await idOf(nodes[1]!)]
      const words = `--cluster reshard 127.0.0.1:${servers[0]!.port} --cluster-from ${from} --cluster-to ${to}`
      await run('redis-cli', [...words.split(' '), '--cluster-slots', `${slots}`, '--cluster-yes'])
    },
    /** Waits until the replica of the first primary has taken over. */
    async failedOver(): Promise<void> {
      while (!(await nodes[3]!.info('replication')).includes('role:master')) await sleep(50)
    }
  }
}

async function addSlots(node: Redis, at: number): Promise<void> {
  const share = Math.ceil(16_384 / 3)
  await node.cluster('ADDSLOTSRANGE', at * share, Math.min((at + 1) * share, 16_384) - 1)
}

const idOf = async (node: Redis) => String(await node.cluster('MYID'))

/** Returns the port on which the nodes of a Cluster talk to each other. */
const busPort = async (node: Redis) => Number(/:\d+@(\d+)/.exec(String(await node.cluster('NODES')))![1])

async function isWhole(node: Redis): Promise<boolean> {
  const info = String(await node.cluster('INFO'))
  const replication = await node.info('replication')
  const isReplicated = /role:slave[\s\S]*master_link_status:up|slave0:.*state=online/.test(replication)
  return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:6') && isReplicated
}
