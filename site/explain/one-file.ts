import { start } from './page.ts'

/** The address of the site, with a slash at its end; undefined if it is not known. */
declare const SITE: string | undefined

const textOf = (id: string): string => document.getElementById(id)!.textContent!

/** Returns the address of the worker's program, which this file has compressed. */
async function unpack(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
  const code = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return URL.createObjectURL(await new Response(code, { headers: { 'Content-Type': 'text/javascript' } }).blob())
}

/** On the site, the other pages are beside this one. */
const site = location.protocol === 'file:' ? SITE : './'
const guides = document.getElementById('guides') as HTMLAnchorElement
if (site === undefined) guides.removeAttribute('href')
else guides.href = site

start({ program: unpack(textOf('worker')), examples: JSON.parse(textOf('examples')), site })
