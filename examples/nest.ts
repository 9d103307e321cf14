import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { createVerifier, explain, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(explain(verdict))
})

@Module({}) // yours
class AppModule {}

// Middleware that is there before listen() runs before Nest's own body parsers.
export const server = NestFactory.create(AppModule).then(app =>
  app.use('/hook', receive).listen(Number(process.env['PORT'] ?? 3000))
)
