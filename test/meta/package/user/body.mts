// Uses the bytes of a request as a handler does, where the types of the platform are strict about their buffer.
import { type Bytes, createVerifier, type Verified } from 'signed-requests'
import { createTestService } from 'signed-requests/testing'

const service = createTestService()
const signed = service.sign({ method: 'POST', target: '/hook', body: '{"id":1}' })

async function use(body: Bytes): Promise<void> {
  console.log(await new Response(body).json(), new Request('https://receiver.example/', { method: 'POST', body }))
  console.log(Buffer.from(body), await crypto.subtle.digest('SHA-256', body), new Blob([body]))
  // It is the same type as the plain name where that has no parameter, and is assignable to it otherwise.
  const plain: Uint8Array = body
  console.log(plain)
}

export const act = ({ body }: Verified) => use(body)

export async function demo(): Promise<void> {
  await use(signed.body)
  console.log(new Request(`https://receiver.example${signed.target}`, signed), Buffer.from(signed.body))
  const verdict = await createVerifier(service.options)(signed)
  if (verdict.status === 'verified') await act(verdict)
}
