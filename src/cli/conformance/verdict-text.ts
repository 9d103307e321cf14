interface Failure {
  check: string
  code: string
}

export const isFailure = (failure: unknown): failure is Failure =>
  typeof failure === 'object' &&
  failure !== null &&
  'check' in failure &&
  typeof failure.check === 'string' &&
  'code' in failure &&
  typeof failure.code === 'string'

/** `rejected: date date-too-old, host host-mismatch`. Two verdicts are the same when their texts are. */
export const verdictText = ({
  status,
  failures = []
}: {
  status: string
  failures?: readonly Failure[]
}): string =>
  failures.length === 0
    ? status
    : `${status}: ${failures.map(({ check, code }) => `${check} ${code}`).join(', ')}`
