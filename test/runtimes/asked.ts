const SCRIPT = 'test:runtimes'

/** Whether the runtimes are installed and to be run; if not, says so. */
export function isAsked(what: string): boolean {
  const asked = process.env['npm_lifecycle_event'] === SCRIPT
  if (!asked) console.warn(`${what} skipped: npm run ${SCRIPT} installs and runs them.`)
  return asked
}
