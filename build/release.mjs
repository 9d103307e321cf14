// Checks whether the three packages can be published for a tag: node build/release.mjs v1.2.3 owner/name
import { readFileSync } from 'node:fs'

const [tag, repository] = process.argv.slice(2)
const problems = ['package.json', 'gateway/package.json', 'fixtures/package.json'].flatMap(file => {
  const { name, version, dependencies = {}, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  const needed = dependencies['signed-requests']
  const url = manifest.repository?.url ?? ''
  return [
    `v${version}` !== tag && `${file}: the version is ${version}, the tag ${tag}`,
    needed !== undefined && needed !== version && `${file}: it depends on signed-requests ${needed}`,
    !url.includes(`github.com/${repository}`) &&
      `${file}: set "repository" to this repository (${repository}): npm compares it with the provenance of ${name}`,
    ...['homepage', 'bugs'].map(field => manifest[field] === undefined && `${file}: set "${field}"`)
  ].filter(Boolean)
})
const { homepage } = JSON.parse(readFileSync('package.json', 'utf8'))
if (homepage === undefined || !readFileSync('README.md', 'utf8').includes(`](${homepage.replace(/\/$/, '')})`))
  problems.push('README.md: link to the site, which is "homepage" of package.json')
if (readFileSync('.github/CODEOWNERS', 'utf8').includes('@OWNER/'))
  problems.push('.github/CODEOWNERS: put the organization of this repository in the place of OWNER')
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
