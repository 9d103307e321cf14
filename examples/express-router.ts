import express from 'express'
import { createVerifier, explain, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// Before any body parser: the stream itself is verified, and nothing of it is read before the head is.
const app = express()
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(explain(verdict))
})
app.use('/hook', receive) // req.url is without /hook in there; req.originalUrl has it
app.use(express.json())

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
