import { type Input, runProgram } from './program.ts'

// For Workers, which are asked over HTTP. They do not tell their version.
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runProgram((await request.json()) as Input, undefined))
  }
}
