import { createServer } from 'node:http'
import { Pool } from 'pg'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'

// The table takes each event once, so there is no replay store.
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// PGHOST and the like say where. The service waits for an answer: two seconds at most.
const pool = new Pool({ connectionTimeoutMillis: 2000, query_timeout: 2000 })
pool.on('error', error => console.error(error)) // or a lost connection ends the process
const INSERT =
  'INSERT INTO events (account, id, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'

const receive = nodeHandler(
  verify,
  async ({ accountId, body }, _req, res) => {
    const { id } = (await new Response(body).json()) as { id: string }
    await pool.query(INSERT, [accountId, id, body])
    res.statusCode = 202
  },
  {
    https: 'x-forwarded-proto',
    onRefused: verdict =>
      console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) })),
    onError: (error, _req, res) => {
      console.error(error)
      res.writeHead(503, { 'Retry-After': 5 }).end()
    }
  }
)

export const server = createServer(receive).listen(Number(process.env['PORT'] ?? 3000))
