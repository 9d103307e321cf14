import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const schema = JSON.parse(readFileSync(new URL('../../fixtures/schema.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })

/** Validates a file of vectors. It is compiled once for all files of a worker: that takes a third of a second. */
export const isFixture = ajv.compile({ $id: 'schema', ...schema })
export const isVector = ajv.compile({ $ref: 'schema#/$defs/vector' })
