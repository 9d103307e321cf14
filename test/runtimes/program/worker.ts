import { runTask } from './tasks.ts'

// For Workers, which are asked over HTTP.
export default {
  fetch: async (request: Request): Promise<Response> => Response.json(await runTask((await request.json()) as never))
}
