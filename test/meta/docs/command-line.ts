import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** docs/gateway.md with what `signed-requests-gateway --help` prints. */
export const gatewayPage = (page: string, help: string): string =>
  page.replace(
    /(<!-- help -->\n+```text\n).*?\n```\n/s,
    (_, start: string) => `${start}${help.trim()}\n\`\`\`\n`
  )

/** `npm run docs:cli` */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cli = fileURLToPath(new URL('../../../gateway/src/cli.ts', import.meta.url))
  const help = execFileSync(process.execPath, ['--import', 'tsx', cli, '--help'], { encoding: 'utf8' })
  const file = new URL('../../../docs/gateway.md', import.meta.url)
  writeFileSync(file, gatewayPage(readFileSync(file, 'utf8'), help))
}
