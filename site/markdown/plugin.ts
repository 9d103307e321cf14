import type { MarkdownRenderer } from 'vitepress'
import { resolveLink, sourceOf } from './links.ts'
import { pageOfSpan, pagesByName } from './names.ts'
import type { Names } from './site-data.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]
type MakeToken = new (type: string, tag: string, nesting: 1 | 0 | -1) => Token

/** Makes the links of a page lead to pages of the site, and links the names of exports and codes in its text. */
export function sitePlugin(names: Names, base: string) {
  return (md: MarkdownRenderer): void => {
    // Matches the line of a page that leads to all pages and to its own sections: the site has menus for both.
    md.core.ruler.push('site-menus', state => {
      const i = state.tokens.findIndex(({ type, content }) => type === 'inline' && content.startsWith('[All pages]('))
      if (i > 0) state.tokens.splice(i - 1, 3)
    })

    md.core.ruler.push('site-links', ({ tokens, env, Token }) => {
      const page = pageIn(env)
      const source = sourceOf(page)
      const byName = pagesByName(names, page)
      let linked = new Set<string>()
      tokens.forEach((token, i) => {
        if (token.type === 'heading_open') linked = new Set()
        if (token.type === 'html_block') token.content = withSources(token.content, source)
        if (token.type !== 'inline' || token.children === null) return
        resolveLinks(token.children, source, base)
        if (tokens[i - 1]?.type === 'heading_open') return
        token.children = linkSpans(token.children, Token, content => {
          const target = pageOfSpan(content, byName, names.codes)
          if (target === undefined || linked.has(target) || target.split('#')[0] === `/${page}`) return undefined
          linked.add(target)
          return target
        })
      })
    })

    // On a narrow screen a row is a stack, and each cell has the head of its column above it.
    md.core.ruler.push('site-tables', ({ tokens }) => {
      let heads: string[] = []
      let column = 0
      tokens.forEach((token, i) => {
        if (token.type === 'table_open') heads = []
        if (token.type === 'tr_open') column = 0
        if (token.type === 'th_open') heads.push(textOf(tokens[i + 1]))
        if (token.type === 'td_open') token.attrSet('data-label', heads[column++] ?? '')
      })
    })

    // VitePress writes the alignment of a column as a style, which the policy of the pages refuses.
    for (const rule of ['th_open', 'td_open'] as const) {
      md.renderer.rules[rule] = (tokens, i, options, _env, self) => {
        const token = tokens[i]!
        const [, side] = /text-align:(\w+)/.exec(token.attrGet('style') ?? '') ?? []
        const label = token.attrGet('data-label')
        token.attrs = [
          ...(side === undefined ? [] : [['class', `align-${side}`] as [string, string]]),
          ...(label ? [['data-label', label] as [string, string]] : [])
        ]
        return self.renderToken(tokens, i, options)
      }
    }

    const fence = md.renderer.rules.fence!
    md.renderer.rules.fence = (tokens, i, options, env, self) => {
      const html = fence(tokens, i, options, env, self)
      const page = pageIn(env)
      const byName = pagesByName(names, page)
      const link = (code: string) => linkNames(code, byName, page, base)
      return page.startsWith('reference/') ? linkHighlighted(html, link) : linkImports(html, link)
    }
  }
}

/** Returns the words of a heading or a cell, without links and marks. */
const textOf = (inline: Token | undefined): string =>
  (inline?.children ?? []).map(({ type, content }) => (/^(?:text|code_inline)$/.test(type) ? content : '')).join('')

const pageIn = (env: { relativePath?: string }): string => env.relativePath ?? ''

function resolveLinks(tokens: readonly Token[], source: string, base: string): void {
  for (const token of tokens) {
    if (token.type === 'html_inline') token.content = withSources(token.content, source)
    if (token.type === 'image') token.attrSet('src', resolveLink(source, token.attrGet('src') ?? '') ?? '')
    if (token.type !== 'link_open') continue
    const target = resolveLink(source, token.attrGet('href') ?? '')
    if (target === undefined) {
      token.attrs = null
      continue
    }
    // A static file is not a page: the browser loads it. VitePress puts the base before the addresses of pages alone.
    const isStatic = /^\/[^#]*\.(?!md\b|html\b)\w+$/.test(target)
    token.attrSet('href', isStatic ? base + target.slice(1) : target)
    if (isStatic) token.attrSet('target', '_self')
  }
}

/** Resolves the addresses of pictures in HTML. Vue puts the base before them. */
const withSources = (html: string, source: string): string =>
  html.replace(/\b(src|srcset)="([^"]+)"/g, (_, name, target) => `${name}="${resolveLink(source, target)}"`)

/** Links the code spans that have a page, outside of other links. */
function linkSpans(
  tokens: readonly Token[],
  Token: MakeToken,
  pageOf: (content: string) => string | undefined
): Token[] {
  let depth = 0
  return tokens.flatMap(token => {
    if (token.type === 'link_open') depth++
    if (token.type === 'link_close') depth--
    const target = token.type === 'code_inline' && depth === 0 ? pageOf(token.content) : undefined
    if (target === undefined) return [token]
    const open = new Token('link_open', 'a', 1)
    open.attrSet('href', target)
    open.attrSet('class', 'name')
    return [open, token, new Token('link_close', 'a', -1)]
  })
}

/** Links the names of other exports in highlighted code. */
const linkHighlighted = (html: string, link: (code: string) => string): string =>
  html.replace(/(<span(?: class="([^"]*)")?>)([^<]+)(?=<\/span>)/g, (all, open, kind = '', text) =>
    /string|comment/.test(kind) ? all : open + link(text)
  )

/** Links the names that code imports from one of the packages. */
const linkImports = (html: string, link: (code: string) => string): string =>
  html.replace(
    /<span class="line"><span class="token-keyword">import<(?:(?!<span class="line"><span class="token-keyword">import<)[\s\S])*?'signed-requests(?:[/-]\w+)?'/g,
    statement => linkHighlighted(statement, link)
  )

/** Links the names of other exports in code, as HTML. */
function linkNames(code: string, byName: ReadonlyMap<string, string>, page: string, base: string): string {
  return code.replace(/(?<![\w.&'])[A-Za-z]\w*(?!')/g, name => {
    const target = byName.get(name)
    if (target === undefined || target === `/${page}`) return name
    return `<a href="${base}${target.slice(1).replace(/\.md$/, '.html')}">${name}</a>`
  })
}
