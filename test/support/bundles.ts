import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'tsup'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    bundles: string
  }
}

/**
 * Bundles, as a global setup, both command lines and what else a test starts as a process, each into a file that
 * Node.js starts in a third of the time for TypeScript. It runs once for all tests, because several workers would write
 * the same file.
 */
export default async function bundleCommandLines(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'signed-requests-'))
  await build({
    config: false,
    entry: {
      'dist/cli': 'cli/bin.ts',
      'gateway/dist/cli': 'gateway/src/bin.ts',
      'dist/flood-process': 'test/unit/recorder/flood-process.ts',
      'dist/flood-receiver': 'gateway/test/floods/receiver.ts',
      'dist/flood-sender': 'gateway/test/floods/sender.ts',
      'dist/https-child': 'test/unit/account/https-child.ts'
    },
    format: 'esm',
    target: 'node20',
    splitting: false,
    removeNodeProtocol: false,
    skipNodeModulesBundle: true,
    outDir: folder,
    silent: true
  })
  // Each bundle needs these beside it, as in its package.
  await symlink(resolve('gateway/src/page'), join(folder, 'gateway/dist/page'))
  for (const name of ['package.json', 'node_modules', 'gateway/package.json', 'gateway/node_modules']) {
    await symlink(resolve(name), join(folder, name))
  }
  project.provide('bundles', folder)
  return () => rm(folder, { recursive: true })
}
