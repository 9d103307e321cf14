import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import type { AliasesSetting } from './aliases-in-namespace.ts'
import { inNamespace } from './namespace.ts'
import type { LookupsReport } from './program/lookups.ts'
import { createProject, type Project } from './project.ts'
import { compileProgram, isLinux, RUNTIMES } from './runtimes.ts'
import { withKeyId } from './signed.ts'

const service = createTestService()
const [RECORD] = Object.values(service.records)[0]!
const text = RECORD!.map(part => `"${part}"`).join(' ')
const OTHER = 'provider.example'

/** Maps names of keys to lines of the service's zone, and the verdict. */
const SITUATIONS: Readonly<Record<string, readonly [label: string, lines: string, verdict: string]>> = {
  'a CNAME': ['a', `one.a CNAME key.${OTHER}.`, 'verified'],
  'two CNAMEs, one after the other': ['b', `one.b CNAME two.b\ntwo.b CNAME key.${OTHER}.`, 'verified'],
  'a DNAME': ['c', `c DNAME names.${OTHER}.`, 'verified'],
  'a delegated zone': ['_domainkey', '_domainkey NS ns1\n_domainkey NS ns2', 'verified'],
  'a CNAME whose target is gone': ['d', `one.d CNAME gone.${OTHER}.`, 'rejected key-not-found']
}
const situations = Object.entries(SITUATIONS)

const zones = {
  'service.example': { ns1: situations.map(([, [, lines]]) => lines).join('\n') },
  '_domainkey.service.example': { ns1: `one TXT ${text}` },
  [OTHER]: { ns1: `key TXT ${text}\none.names TXT ${text}` }
}
const onCommandLine = RUNTIMES.filter(({ command }) => command !== undefined)

describe.skipIf(!isLinux)('aliases, with BIND and unbound', () => {
  let project: Project
  let results: Record<string, LookupsReport>
  beforeAll(async () => {
    project = createProject()
    await compileProgram(project)
    const setting: AliasesSetting = {
      zones,
      requests: situations.map(([, [label]]) => withKeyId(`one.${label}.service.example`, service)),
      folder: project.folder,
      commands: Object.fromEntries(onCommandLine.map(runtime => [runtime.package, runtime.command!]))
    }
    results = (await inNamespace(project, 'aliases-in-namespace.ts', setting)) as typeof results
  }, 240_000)
  afterAll(() => project?.remove())

  test.each(onCommandLine)('$package finds the key where they lead', ({ package: name }) => {
    const expected = situations.map(([situation, [, , verdict]]) => [situation, verdict])
    const [plain, overHttps] = results[name]!.verdicts.map(way =>
      situations.map(([situation], n) => [situation, way[n]])
    )
    expect({ plain, overHttps }).toEqual({ plain: expected, overHttps: expected })
  })
})
