import { chmodSync, rmSync } from 'node:fs'
import { bundle, outputOf } from './bundle.ts'

rmSync('dist', { recursive: true, force: true })
for (const format of ['esm', 'cjs'] as const) await (await bundle(format)).write({ dir: 'dist', ...outputOf(format) })
chmodSync('dist/cli.js', 0o755)
