import { All, Controller, Module, type RawBodyRequest, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { Request, Response } from 'express'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

@Controller('hook')
class HookController {
  @All('{*path}')
  async receive(@Req() req: RawBodyRequest<Request>, @Res() res: Response) {
    const verdict = await verify(fromNodeRequest(req, { body: req.rawBody, https: 'x-forwarded-proto' }))
    if (verdict.status === 'verified') console.log('account %s sent %o', verdict.accountId, req.body)
    else console.warn(explain(verdict))
    res.status(httpStatus(verdict)).end()
  }
}

@Module({ controllers: [HookController] })
class AppModule {}

export const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true })
app.useBodyParser('json', { limit: '10mb' })
app.useBodyParser('urlencoded', { limit: '10mb', extended: true })
await app.listen(Number(process.env['PORT'] ?? 3000))
