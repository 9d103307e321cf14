// Receivers that share a port by node:cluster and a file of SQLite: `sqlite-receivers.ts <options>`, which are JSON. On
// SIGUSR2 the primary tells its oldest worker to end as a crash would, and starts another one.
import cluster from 'node:cluster'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { createVerifier, dnsTxtLookup, nodeHandler, type VerifierOptions } from '../../src/index.ts'
import { sqliteReplayStore } from '../../src/replay/index.ts'

export interface Given {
  port: number
  /** the address of the DNS server with the key */
  dns: string
  /** of the replay store */
  file: string
  /** what was worked on, a line each */
  log: string
  options: Pick<VerifierOptions, 'serviceDomain' | 'hosts' | 'accounts' | 'accountHeader'>
}

const { port, dns, file, log, options } = JSON.parse(process.argv[2]!) as Given

function serve(): void {
  const verify = createVerifier({
    ...options,
    requireHttps: false,
    lookupTxt: dnsTxtLookup({ servers: [dns] }),
    replayStore: sqliteReplayStore(new DatabaseSync(file))
  })
  const handle = nodeHandler(verify, (_, { url, headers }) => {
    appendFileSync(log, `${JSON.stringify({ url, headers })}\n`)
  })
  createServer(handle).listen(port, '127.0.0.1')
  // A claim, its work and its answer are one turn of the event loop, and the message another: the retry of a request
  // whose worker ends in between would be 401.
  process.on('message', () => process.kill(process.pid, 'SIGKILL'))
}

function startWorkers(): void {
  let isListening = false
  cluster.on('listening', () => {
    if (!isListening) console.log('listening')
    isListening = true
  })
  for (let i = 0; i < 3; i++) cluster.fork()
  cluster.on('exit', () => cluster.fork())
  process.on('SIGUSR2', () => Object.values(cluster.workers!)[0]!.send('end'))
}

if (cluster.isPrimary) startWorkers()
else serve()
