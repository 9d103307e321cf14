import { writeFileSync } from 'node:fs'
import { buildFixtures } from './fixtures.ts'

for (const [file, text] of buildFixtures()) {
  writeFileSync(new URL(`../../../fixtures/${file}`, import.meta.url), text)
  console.log(file)
}
