// After tsup. The declarations of ESM are those of CommonJS, which is allowed in this direction only.
//
// A user without @types/node (Cloudflare Workers) must be able to compile the declarations without
// skipLibCheck. Modules of Node.js that are not declared are then `any`; with @types/node nothing changes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NODE_IMPORT = /^import (?:type )?\{[^}]*\} from 'node:[\w/]+';$/gm

for (const file of readdirSync('dist', { recursive: true })) {
  if (!file.endsWith('.d.cts')) continue
  const path = join('dist', file)
  if (file.endsWith('index.d.cts')) writeFileSync(path.replace('.cts', '.ts'), "export * from './index.cjs'\n")
  const text = readFileSync(path, 'utf8')
  const ignoring = text.replace(NODE_IMPORT, '// @ts-ignore: without @types/node these are any\n$&')
  if (ignoring !== text) writeFileSync(path, ignoring)
}
