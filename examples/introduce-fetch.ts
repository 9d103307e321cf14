import { createVerifier, fromFetchRequest, logRecord } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// Writes to the log, and changes nothing.
async function observe(request: Request) {
  try {
    const verdict = await verify(fromFetchRequest(request))
    console.log(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  } catch (error) {
    console.error(error) // a mistake here must not stop your handler
  }
}

// Your handler reads the request; a copy is observed. On Workers, call
// ctx.waitUntil(observe(request.clone())) instead.
export default {
  async fetch(request: Request): Promise<Response> {
    void observe(request.clone())
    const { id } = (await request.json()) as { id: number }
    return Response.json({ id })
  }
}
