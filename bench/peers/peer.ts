import type { Sample } from '../sample.ts'

/** Another library that verifies the sample request, as far as it goes. */
export interface Peer {
  /** the package */
  name: string
  /** what it does not check of what ours does */
  leavesOut: string
  /** makes its key as ready as it allows; what it gives back verifies the sample request once */
  prepare(sample: Sample): Promise<() => boolean | Promise<boolean>>
}
