import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Request, Response } from 'express'
import { createVerifier, logRecord, nodeHandler, type Verified } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
const answer = ({ accountId }: Verified, _: Request, res: Response) => res.json({ account: accountId })
const receive = nodeHandler(verify, answer, {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})

@Module({}) // yours
class AppModule {}

// Middleware that is there before listen() runs before Nest's own body parsers.
export const server = NestFactory.create(AppModule).then(app =>
  app.use('/hook', receive).listen(Number(process.env['PORT'] ?? 3000))
)
