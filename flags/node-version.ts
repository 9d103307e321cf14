/** The oldest Node.js of `engines` in package.json. */
const OLDEST = '20.18.1'

/**
 * Starts a command, or says in one line that this Node.js is too old for it. A file that imports this one must import
 * nothing else at its top: an import that an old Node.js does not have would fail before the line is printed. Node.js
 * 12 can still parse the syntax here.
 */
export function startOnNode(name: string, start: () => Promise<unknown>): void {
  const found = process.versions.node
  if (!isOlder(found, OLDEST)) {
    start()
    return
  }
  process.stderr.write(`${name}: this is Node.js ${found}, and Node.js ${OLDEST} or later is needed\n`)
  process.exitCode = 64
}

function isOlder(found: string, needed: string): boolean {
  const [major = 0, minor = 0, patch = 0] = found.split('.').map(Number)
  const [toMajor = 0, toMinor = 0, toPatch = 0] = needed.split('.').map(Number)
  return (major - toMajor || minor - toMinor || patch - toPatch) < 0
}
