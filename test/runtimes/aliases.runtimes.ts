import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { createProject, type Project } from './project.ts'
import { RUNTIMES } from './runtimes.ts'

/** On a runtime with a command line: verifies each request with the system's DNS client, and over HTTPS. */
const PROGRAM = `
import { readFileSync } from 'node:fs'
import { createVerifier, dnsTxtLookup } from 'signed-requests'
import { dohTxtLookup } from 'signed-requests/doh'

const [server, url] = process.argv.slice(2)
const requests = JSON.parse(readFileSync('aliases.json', 'utf8'))
const outcomes = {}
for (const [way, lookupTxt] of Object.entries({
  'plain DNS': dnsTxtLookup({ servers: [server] }),
  'DNS over HTTPS': dohTxtLookup({ url })
})) {
  const options = { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234', lookupTxt }
  const verify = createVerifier(options)
  for (const [situation, request] of Object.entries(requests)) {
    const { status, failures } = await verify(request)
    outcomes[way + ': ' + situation] = [status, ...failures.map(({ code }) => code)].join(' ')
  }
}
console.log(JSON.stringify(outcomes))
`

const service = createTestService()
const [RECORD] = Object.values(service.records)[0]!
const text = RECORD!
  .join('')
  .match(/.{1,255}/g)!
  .map(part => `"${part}"`)
  .join(' ')
const OTHER = 'provider.example'

/** The lines of the zone of the service by name of the key, and the verdict. */
const SITUATIONS: Readonly<Record<string, readonly [label: string, lines: string, verdict: string]>> = {
  'a CNAME': ['a', `one.a CNAME key.${OTHER}.`, 'verified'],
  'two CNAMEs, one after the other': ['b', `one.b CNAME two.b\ntwo.b CNAME key.${OTHER}.`, 'verified'],
  'a DNAME': ['c', `c DNAME names.${OTHER}.`, 'verified'],
  'a delegated zone': ['_domainkey', '_domainkey NS ns1\n_domainkey NS ns2', 'verified'],
  'a CNAME whose target is gone': ['d', `one.d CNAME gone.${OTHER}.`, 'rejected key-not-found']
}

const ZONES = {
  'service.example': {
    ns1: Object.values(SITUATIONS)
      .map(([, lines]) => lines)
      .join('\n')
  },
  '_domainkey.service.example': { ns1: `one TXT ${text}` },
  [OTHER]: { ns1: `key TXT ${text}\none.names TXT ${text}` }
}

/** keyId is not signed: the request can be sent with any. */
const signedBy = (name: string) => {
  const { headers, ...request } = service.sign()
  const [keyId] = Object.keys(service.records)
  return { ...request, headers: [...headers].map(([field, value]) => [field, value.replace(keyId!, name)]) }
}

const isLinux = process.platform === 'linux' && process.arch === 'x64'
const onCommandLine = RUNTIMES.filter(({ command }) => command !== undefined)

describe.skipIf(!isLinux)('aliases, with BIND and unbound', () => {
  let project: Project
  let results: Record<string, string>
  beforeAll(async () => {
    project = createProject()
    project.write('aliases.mjs', PROGRAM)
    const requests = Object.entries(SITUATIONS).map(([situation, [label]]) => [
      situation,
      signedBy(`one.${label}.service.example`)
    ])
    project.write('aliases.json', JSON.stringify(Object.fromEntries(requests)))
    const commands = Object.fromEntries(onCommandLine.map(runtime => [runtime.package, runtime.command]))
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
    const program = [process.execPath, '--import', 'tsx', 'test/runtimes/aliases-in-namespace.ts']
    const setting = JSON.stringify({ zones: ZONES, folder: project.folder, commands })
    const { stdout } = await promisify(execFile)('unshare', [...asRoot, '--net', ...program, setting])
    results = JSON.parse(stdout)
  }, 240_000)
  afterAll(() => project?.remove())

  test.each(onCommandLine.map(runtime => runtime.package))('%s finds the key where they lead', name => {
    const expected = Object.entries(SITUATIONS).flatMap(([situation, [, , verdict]]) =>
      ['plain DNS', 'DNS over HTTPS'].map(way => [`${way}: ${situation}`, verdict])
    )
    expect(JSON.parse(results[name]!)).toEqual(Object.fromEntries(expected))
  })
})
