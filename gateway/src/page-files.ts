import { readFile } from 'node:fs/promises'

/** A static file of the page. */
export interface PageFile {
  type: string
  bytes: Buffer
}

const TYPES = {
  'index.html': 'text/html',
  'style.css': 'text/css',
  'page.js': 'text/javascript',
  'icon.svg': 'image/svg+xml'
}

/** The page's files by path. This module is next to `page/`, here and in the bundle in `dist/`. */
export async function loadPage(): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>()
  for (const [name, type] of Object.entries(TYPES)) {
    const bytes = await readFile(new URL(`./page/${name}`, import.meta.url))
    files.set(name === 'index.html' ? '/' : `/${name}`, { type: `${type}; charset=utf-8`, bytes })
  }
  return files
}
