import { All, Controller, Module, Req } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { nodeMiddleware, type VerifiedRequest } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

@Controller()
class HookController {
  @All('hook{/*path}')
  receive(@Req() { verified }: VerifiedRequest) {
    return { account: verified.accountId }
  }
}
@Module({ controllers: [HookController] })
class AppModule {}

// What is added before listen() runs before Nest's body parsers.
const signed = nodeMiddleware(verify, { https: 'x-forwarded-proto', onRefused })
export const server = NestFactory.create(AppModule).then(app =>
  app.use('/hook', signed).listen(process.env['PORT'] ?? 3000)
)
