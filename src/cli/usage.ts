/** A mistake on the command line or in what it points to: one line on stderr, exit code 64 (EX_USAGE of sysexits.h). */
export class UsageError extends Error {}

/** What the process ends with; `usage` is that of sysexits.h. */
export const EXIT = { verified: 0, rejected: 1, unavailable: 2, usage: 64 } as const
