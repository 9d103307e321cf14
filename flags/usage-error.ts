/** A mistake on the command line or in what it points to: one line on stderr, exit code 64 (EX_USAGE of sysexits.h). */
export class UsageError extends Error {}
