import {
  All,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Module,
  Req,
  UseGuards
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { createVerifier, explain, fromNodeRequest, sendRefusal, type Verified } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// For controllers: what was verified is on the request. With Nest's parsers off nothing has read the body before.
class SignedGuard implements CanActivate {
  async canActivate(context: ExecutionContext) {
    const [req, res] = context.getArgs()
    const verdict = await verify(fromNodeRequest(req, { https: 'x-forwarded-proto' }))
    if (verdict.status !== 'verified') {
      console.warn(explain(verdict))
      await sendRefusal(res, verdict)
      return false
    }
    req.verified = verdict
    return true
  }
}

@Controller()
@UseGuards(SignedGuard)
class HookController {
  @All('hook{/*path}')
  receive(@Req() { verified }: { verified: Verified }) {
    console.log('account %s', verified.accountId)
  }
}

@Module({ controllers: [HookController] })
class AppModule {}

export const app = await NestFactory.create(AppModule, { bodyParser: false })
await app.listen(Number(process.env['PORT'] ?? 3000))
