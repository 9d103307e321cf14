import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { KEY_ID, type Peer, PRIVATE_PEM, PUBLIC_PEM, singleValues } from './peer.ts'

const PROGRAM = fileURLToPath(new URL('python-httpsig.py', import.meta.url))

/** Debian's own Python: the package is installed for that one. */
function ask(job: object): unknown {
  const { stdout, stderr } = spawnSync('/usr/bin/python3', [PROGRAM], {
    input: `${JSON.stringify(job)}\n`,
    encoding: 'utf8'
  })
  if (stdout === '') throw new Error(`python3-httpsig is needed (apt-get install python3-httpsig): ${stderr}`)
  const { value, error } = JSON.parse(stdout) as { value?: unknown; error?: string }
  if (error !== undefined) throw new Error(error)
  return value
}

export const httpsig: Peer = {
  name: 'python3-httpsig',
  version: String(ask({ do: 'version' })),
  scheme: 'draft-cavage',
  sign({ method, target, covered, algorithm }, lines) {
    const job = { key: PRIVATE_PEM, keyId: KEY_ID, method, target, covered, algorithm }
    return [['Signature', String(ask({ do: 'sign', ...job, headers: singleValues(lines) }))]]
  },
  verify({ method, target, covered }, lines) {
    const required = covered === undefined ? ['date'] : ['digest']
    const job = { key: PUBLIC_PEM, method, target, required, headers: singleValues(lines) }
    return ask({ do: 'verify', ...job }) === true
  }
}
