import { type ResolverInput, runResolver } from './resolver.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runResolver((await request.json()) as ResolverInput))
  }
}
