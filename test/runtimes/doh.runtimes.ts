import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import type { DnsOutcome } from '../support/dns-answer.ts'
import { type DohServer, startDohServer } from '../support/doh-server.ts'
import { createProject, type Project } from './project.ts'
import { compileProgram, type Program, RUNTIMES } from './runtimes.ts'
import { withKeyId } from './signed.ts'

const ABSENT = ['nxdomain', 'nxdomain-behind-cname', 'nodata', 'dangling-cname', 'only-a', 'empty-string'] as const
const FAILING = ['servfail', 'refused', 'formerr', 'notimp', 'malformed', 'truncated'] as const
const OWN = ['unsigned', 'redirected', 'broken'] as const

/** Lists a resolver's possible answers, and the verdict on a request whose key is looked up. */
const CASES: readonly (readonly [DnsOutcome | 'found' | (typeof OWN)[number], string])[] = [
  ['found', 'verified'],
  ...ABSENT.map(outcome => [outcome, 'rejected key-not-found'] as const),
  ...[...FAILING, ...OWN].map(outcome => [outcome, 'unavailable key-lookup-failed'] as const),
  ['silence', 'unavailable key-lookup-timeout']
]

const service = createTestService()
const [record] = Object.values(service.records)
const nameOf = (outcome: string): string => `${outcome}._domainkey.service.example`
let project: Project
let program: Program
let server: DohServer
beforeAll(async () => {
  server = await startDohServer(Object.fromEntries(CASES.map(([outcome]) => [nameOf(outcome), record!])))
  for (const [outcome] of CASES) {
    if (outcome !== 'unsigned') server.authenticated.add(nameOf(outcome))
    if (outcome === 'found' || outcome === 'unsigned' || outcome === 'redirected' || outcome === 'broken') continue
    server.outcomes.set(nameOf(outcome), outcome)
  }
  server.intercept = (name, response) => {
    if (name === nameOf('redirected')) response.writeHead(307, { location: '/elsewhere' }).end()
    else if (name === nameOf('broken')) response.destroy()
    else return false
    return true
  }
  project = createProject()
  program = await compileProgram(project, Number(new URL(server.url).port))
})
afterAll(async () => {
  project?.remove()
  await server?.close()
})

test.each(RUNTIMES)('judges every answer as it must on $name $version', async runtime => {
  const options = { url: server.url, timeout: 1000, requireAuthenticated: true }
  const requests = CASES.map(([outcome]) => withKeyId(nameOf(outcome), service))
  const ways = [{ ...options, method: 'POST' } as const, { ...options, method: 'GET' } as const]
  const { verdicts } = await program.run(runtime, 'lookups', { requests, ways })
  const [post, get] = verdicts.map(way => CASES.map(([outcome], n) => [outcome, way[n]]))
  expect({ post, get }).toEqual({ post: CASES, get: CASES })
  expect(server.seen.filter(({ url }) => url.includes('elsewhere'))).toEqual([])
})
