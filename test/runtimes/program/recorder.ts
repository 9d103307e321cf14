import { createVerifier, type Verdict } from 'signed-requests'
import { createRecorder } from 'signed-requests/recorder'
import { fromFixture } from 'signed-requests/testing'

export interface Recorded {
  kept: number
  /** vectors whose fixture gives another verdict */
  differing: string[]
  /** the reason why there is no recorder */
  error?: string
}

const codesOf = ({ status, failures }: Verdict): string => [status, ...failures.map(({ code }) => code)].join(' ')

/** Records each refused vector, and verifies the recorded request. */
export async function recordVectors({
  vectors,
  directory
}: {
  vectors: readonly { readonly name: string }[]
  directory?: string
}): Promise<Recorded> {
  const differing: string[] = []
  let kept = 0
  try {
    const recorder = createRecorder({ keep: 20, redact: false, ...(directory !== undefined && { directory }) })
    for (const vector of vectors) {
      const { request, options } = fromFixture(vector)
      const verdict = await createVerifier({ ...options, recorder })(request)
      if (verdict.status === 'verified') continue
      kept += 1
      const fixture = fromFixture(JSON.parse(JSON.stringify(recorder.fixtures()[0])))
      const again = await createVerifier(fixture.options)(fixture.request)
      if (codesOf(again) !== codesOf(verdict)) differing.push(vector.name)
    }
    await recorder.written()
    return { kept, differing }
  } catch (error) {
    return { kept, differing, error: (error as Error).message }
  }
}
