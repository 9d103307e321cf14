import { UsageError } from '../flags/usage-error.ts'
import { isLoopback } from '../src/internal/index.ts'

/** Each command that speaks TLS to a receiver under development has this flag. */
export const ALLOW_SELF_SIGNED = {
  flag: 'allow-self-signed',
  kind: 'switch',
  about: 'accept any certificate (loopback addresses only)'
} as const

/** Refuses another machine, of which any certificate would be accepted. @throws UsageError */
export function assertAtLoopback(url: URL, advice: string): void {
  if (!isLoopback(url.hostname))
    throw new UsageError(
      `--allow-self-signed is for loopback addresses; if ${url.hostname} belongs to this machine: ${advice}`
    )
}

/** Returns whether the flag accepts the certificate that caused this error. */
export const isUntrusted = (error: unknown): boolean =>
  /SELF_SIGNED|UNABLE_TO_VERIFY/.test(String((error as NodeJS.ErrnoException).code))

/** Advises on a self-signed certificate. @param advice for a name of this machine */
export const selfSignedAdvice = (url: URL, advice: string): string =>
  isLoopback(url.hostname)
    ? '--allow-self-signed accepts it, on loopback only'
    : `if this name belongs to this machine: ${advice} --allow-self-signed`
