import {
  All,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  Req,
  UseGuards
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import {
  createVerifier,
  fromNodeRequest,
  logRecord,
  sendRefusal,
  type Verified,
  type Verify
} from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verifier = {
  provide: 'verify', // another one in a test
  useFactory: () =>
    createVerifier({
      serviceDomain: 'service.example',
      hosts: 'receiver.example',
      accounts: '1234',
      replayStore: memoryReplayStore()
    })
}

// For controllers: what was verified is on the request. With Nest's parsers off nothing has read the body before.
@Injectable()
class SignedGuard implements CanActivate {
  @Inject('verify') private readonly verify!: Verify

  async canActivate(context: ExecutionContext) {
    const [req, res] = context.getArgs()
    const verdict = await this.verify(fromNodeRequest(req, { https: 'x-forwarded-proto' }))
    if (verdict.status !== 'verified') {
      console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
      await sendRefusal(res, verdict)
      return false
    }
    req.verified = verdict
    // After an error the sender's retry is let in.
    res.once('finish', () => res.statusCode >= 500 && this.verify.release(verdict).catch(console.error))
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

@Module({ controllers: [HookController], providers: [verifier] })
class AppModule {}

export const server = NestFactory.create(AppModule, { bodyParser: false }).then(app =>
  app.listen(Number(process.env['PORT'] ?? 3000))
)
