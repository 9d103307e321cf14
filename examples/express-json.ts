import type { IncomingMessage } from 'node:http'
import express from 'express'
import { nodeHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

type Raw = IncomingMessage & { rawBody?: Buffer }
const keepBytes = (req: Raw, _res: unknown, bytes: Buffer) => {
  req.rawBody = bytes
}
const app = express()
app.use(express.json({ limit: '10mb', verify: keepBytes })) // and every other parser
app.use(express.urlencoded({ limit: '10mb', verify: keepBytes }))
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  body: (req: Raw) => req.rawBody,
  https: 'x-forwarded-proto',
  onRefused
})
app.use('/hook', receive)

export const server = app.listen(process.env['PORT'] ?? 3000)
