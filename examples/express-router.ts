import express from 'express'
import { nodeMiddleware } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const app = express()
const signed = nodeMiddleware(verify, { https: 'x-forwarded-proto', onRefused })
app.use('/hook', signed, (req, res) => {
  console.log('account %s, %d bytes', req.verified.accountId, req.body.length)
  res.sendStatus(204)
})
app.use(express.json()) // parsers come after

export const server = app.listen(process.env['PORT'] ?? 3000)
