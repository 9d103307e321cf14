import { defineConfig } from 'tsup'
import { ENTRIES as entry } from './build/bundle.ts'

/** The declarations of CommonJS: build/declarations.mjs has those of ESM lead to them. */
export default defineConfig({ entry, format: ['cjs'], dts: { entry, only: true } })
