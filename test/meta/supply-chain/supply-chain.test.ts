import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const at = (path: string): URL => new URL(`../../../${path}`, import.meta.url)
const read = (path: string): string => readFileSync(at(path), 'utf8')
const list = (folder: string): string[] => readdirSync(at(folder)).map(name => `${folder}/${name}`)

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
}
interface Job {
  permissions?: Record<string, string>
  environment?: string
  needs?: string
  uses?: string
  'timeout-minutes'?: number
  steps?: Step[]
}
interface Workflow {
  on: string | string[] | Record<string, unknown>
  permissions: unknown
  jobs: Record<string, Job>
}

const WORKFLOWS = list('.github/workflows').map(file => {
  const text = read(file)
  const workflow = parse(text) as Workflow
  const jobs = Object.values(workflow.jobs)
  return { file, text, workflow, jobs, steps: jobs.flatMap(({ steps = [] }) => steps) }
})

test('the workflows are found', () => {
  expect(WORKFLOWS.length).toBeGreaterThan(3)
})

describe.each(WORKFLOWS)('$file', ({ text, workflow, jobs, steps }) => {
  test('pins every action by its commit, with the version beside it', () => {
    const written = text.match(/\buses:.*/g) ?? []
    for (const line of written) {
      expect(line).toMatch(/^uses: (\.\/.+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/)
    }
    const uses = [...jobs, ...steps].flatMap(({ uses }) => uses ?? [])
    expect(written.length).toBe(uses.length)
  })

  test('gives permissions only to the job that needs them', () => {
    expect(workflow.permissions).toEqual({})
    for (const { permissions } of jobs) expect(permissions).toBeDefined()
  })

  test('has no trigger that runs the code of strangers with our secrets', () => {
    const triggers = typeof workflow.on === 'object' ? Object.keys(workflow.on) : [workflow.on]
    expect(triggers.filter(name => /^(pull_request_target|workflow_run|issue_comment)$/.test(name))).toEqual(
      []
    )
  })

  test('puts no expression into a script', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{')
  })

  test('leaves no credentials behind, and no cache', () => {
    for (const { uses = '', with: given } of steps) {
      if (uses.startsWith('actions/checkout@')) expect(given).toMatchObject({ 'persist-credentials': false })
      if (uses.startsWith('actions/setup-node@'))
        expect(given).toMatchObject({ 'package-manager-cache': false })
    }
  })

  test('has a time limit for every job', () => {
    for (const job of jobs) if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })
})

test('only the publishing job can write and get our identity, after the gate and in an environment', () => {
  const writing = WORKFLOWS.flatMap(({ file, workflow }) =>
    Object.entries(workflow.jobs).flatMap(([name, { permissions = {} }]) =>
      Object.entries(permissions).flatMap(([permission, access]) =>
        access === 'read' ? [] : `${file} ${name}: ${permission}`
      )
    )
  )
  expect(writing).toEqual([
    '.github/workflows/codeql.yml analyze: security-events',
    '.github/workflows/release.yml publish: id-token'
  ])
  const { publish, gate } = WORKFLOWS.find(({ file }) => file.endsWith('/release.yml'))!.workflow.jobs
  expect(publish).toMatchObject({ needs: 'gate', environment: 'npm' })
  expect(gate).toMatchObject({ uses: './.github/workflows/ci.yml' })
  expect(publish?.steps?.at(-1)?.run).toBe('npm publish --provenance --access public')
})

/** Folders that have dependencies of their own. */
const FOLDERS = ['.', 'bench', 'examples', ...list('examples'), ...list('test')].filter(folder =>
  existsSync(at(`${folder}/package.json`))
)

test('the lock files are found', () => {
  expect(FOLDERS).toEqual(expect.arrayContaining(['.', 'bench', 'test/runtimes']))
})

describe.each(FOLDERS)('%s/package-lock.json', folder => {
  test('has a checksum for every package and the address of none', () => {
    const { packages } = JSON.parse(read(`${folder}/package-lock.json`)) as {
      packages: Record<string, { resolved?: string; integrity?: string; inBundle?: true }>
    }
    const found = Object.entries(packages).filter(([path]) => path !== '')
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    expect(found.filter(([, { integrity, inBundle }]) => !integrity && !inBundle)).toEqual([])
  })

  test('is kept up to date', () => {
    const { updates } = parse(read('.github/dependabot.yml')) as {
      updates: { 'package-ecosystem': string; directories?: string[]; cooldown?: object }[]
    }
    const npm = updates.find(update => update['package-ecosystem'] === 'npm')
    expect(npm?.directories).toContain(folder === '.' ? '/' : `/${folder}`)
    for (const update of updates) expect(update.cooldown).toEqual({ 'default-days': 7 })
  })
})

test('the issue forms are well-formed, and a bug report asks for the output of explain', () => {
  interface Form {
    name: string
    description: string
    body: { type: string; id?: string; attributes: { label?: string; value?: string } }[]
  }
  for (const name of ['bug', 'question']) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as Form
    expect(Object.keys(form)).toEqual(['name', 'description', 'labels', 'body'])
    const ids = form.body.flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { type, attributes } of form.body) {
      expect(['markdown', 'textarea', 'input']).toContain(type)
      expect(type === 'markdown' ? attributes.value : attributes.label).toBeTruthy()
    }
    if (name === 'bug') expect(ids).toContain('explain')
  }
})
