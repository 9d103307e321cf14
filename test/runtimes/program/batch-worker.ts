import { type Batch, judgeAll } from './batch.ts'

// For Workers, which are asked over HTTP.
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await judgeAll((await request.json()) as Batch))
  }
}
