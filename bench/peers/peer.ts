import type { Sample } from '../sample.ts'

/** Describes another library that verifies the sample request, as far as it can. */
export interface Peer {
  /** the package */
  name: string
  /** checks of ours that it leaves out */
  leavesOut: string
  /** prepares its key as far as it allows; the function that it returns verifies the sample request once */
  prepare(sample: Sample): Promise<() => boolean | Promise<boolean>>
}
