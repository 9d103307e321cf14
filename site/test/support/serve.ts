import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.yml': 'text/plain; charset=utf-8'
}

/** Serves the built site on loopback below `base`, as any server of static files does. */
export async function serveSite(base = '/', folder = DIST): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(async (req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost')
    const file = normalize(decodeURIComponent(pathname)).replace(/\/$/, '/index.html')
    const path = file.startsWith(base) ? `${folder}/${file.slice(base.length)}` : undefined
    const found = path && (await readFile(path).catch(() => undefined))
    const body = found || (await readFile(`${folder}/404.html`))
    res.writeHead(found ? 200 : 404, {
      'Content-Type': TYPES[found ? extname(file) : '.html'] ?? 'application/octet-stream'
    })
    res.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}${base}`, close }
}
