import { runTask } from './tasks.ts'

// Workers are called over HTTP.
export default {
  fetch: async (request: Request): Promise<Response> => Response.json(await runTask((await request.json()) as never))
}
