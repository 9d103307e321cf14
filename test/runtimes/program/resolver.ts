import { Resolver } from 'node:dns/promises'
import { createVerifier, type ReceivedRequest } from 'signed-requests'

/** Requests to verify one after another with the resolver of the runtime, and a name to ask for without a dot. */
export interface ResolverInput {
  requests: readonly ReceivedRequest[]
  bareName?: string
}

export interface ResolverReport {
  /** of each verdict the status and the codes */
  verdicts: readonly string[]
  /** does the runtime itself, asked for the bare name, answer with records? */
  answersBareName: boolean
}

/** The whole way with what the runtime knows of DNS: no option says which servers to ask. */
export async function runResolver({ requests, bareName }: ResolverInput): Promise<ResolverReport> {
  const answersBareName =
    bareName !== undefined &&
    (await new Resolver().resolveTxt(bareName).then(
      records => records.length > 0,
      () => false
    ))
  const verify = createVerifier({
    serviceDomain: 'service.example',
    hosts: 'receiver.example',
    accounts: '1234',
    lookupTimeout: 3000
  })
  const verdicts: string[] = []
  for (const request of requests) {
    const { status, failures } = await verify(request)
    verdicts.push([status, ...failures.map(({ code }) => code)].join(' '))
  }
  return { verdicts, answersBareName }
}
