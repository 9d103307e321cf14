import { UsageError } from '../flags/usage-error.ts'
import { isLoopback } from '../src/tools/index.ts'

/** Each command that speaks TLS to a receiver under development has this flag. */
export const ALLOW_SELF_SIGNED = {
  flag: 'allow-self-signed',
  kind: 'switch',
  about: 'accept any certificate, on a loopback address only'
} as const

/** @throws UsageError where any certificate would be accepted from another machine */
export function assertAtLoopback(url: URL, advice: string): void {
  if (!isLoopback(url.hostname))
    throw new UsageError(
      `--allow-self-signed is for loopback addresses; if ${url.hostname} is a name of this machine: ${advice}`
    )
}

/** Is an error that the flag would have let pass? */
export const isUntrusted = (error: unknown): boolean =>
  /SELF_SIGNED|UNABLE_TO_VERIFY/.test(String((error as NodeJS.ErrnoException).code))

/** What to do about a certificate that nobody signed. @param advice for a name of this machine */
export const selfSignedAdvice = (url: URL, advice: string): string =>
  isLoopback(url.hostname)
    ? '--allow-self-signed accepts it, on loopback only'
    : `if this name is of this machine: ${advice} --allow-self-signed`
