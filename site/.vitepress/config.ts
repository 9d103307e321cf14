import { fileURLToPath } from 'node:url'
import { createCssVariablesTheme } from 'shiki'
import { defineConfig } from 'vitepress'
import { REPOSITORY, SITE } from '../../build/addresses.ts'
import { slugOf } from '../../test/meta/docs/pages.ts'
import { descriptionOf } from '../markdown/description.ts'
import { classes } from '../markdown/highlight.ts'
import { sitePlugin } from '../markdown/plugin.ts'
import { readNames } from '../markdown/site-data.ts'
import { addressOf, CODE_GROUPS, fileOf, GROUPS, read, SHORT_TITLES, titleOf } from '../pages.ts'
import { withPolicy } from '../policy.ts'

/**
 * The path below which the site is served, with a slash at both ends: GitHub Pages has it below the repository's name.
 */
const base = process.env['SITE_BASE'] ?? '/'
const names = readNames()

const linkTo = (file: string): string => `/${addressOf(file)}`

const guide = GROUPS.map(({ title, pages }) => ({
  text: title,
  items: [
    ...pages.map(file => ({ text: SHORT_TITLES[file] ?? titleOf(file), link: linkTo(file) })),
    ...(title === 'Find out why' ? [{ text: 'Explain in the browser', link: '/explain/' }] : [])
  ]
}))

const reference = [...names.sidebar.map(({ text, link, items }) => ({ text, link, items, collapsed: true }))]

const codes = [
  { text: 'Checks and codes', link: '/checks-and-codes' },
  ...CODE_GROUPS.map(({ title, pages }) => ({
    text: title,
    items: pages.map(file => ({ text: titleOf(file), link: linkTo(file) }))
  }))
]

const DESCRIPTION = 'Verifies signed HTTP requests whose key is in DNS, and says which check failed.'

export default defineConfig({
  base,
  lang: 'en',
  title: 'signed-requests',
  description: DESCRIPTION,
  // Search engines and previews of links need absolute addresses.
  ...(SITE !== undefined && { sitemap: { hostname: `${SITE}/` } }),
  srcDir: '.build/pages',
  outDir: process.env['SITE_DIST'] ?? 'dist',
  cacheDir: '.vitepress/cache',
  // Any server of static files can serve it.
  cleanUrls: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  metaChunk: true,
  lastUpdated: false,
  // By default VitePress sets a style in the page for these two, which the policy of the pages refuses.
  appearance: { disableTransition: false },
  contentProps: {},
  markdown: {
    theme: createCssVariablesTheme({ name: 'variables', variablePrefix: '--shiki-' }),
    codeTransformers: [classes],
    languageAlias: { caddyfile: 'nginx', haproxy: 'nginx' },
    anchor: { slugify: slugOf },
    config: sitePlugin(names, base)
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      { text: 'Guide', link: '/overview', activeMatch: '^/(?!reference/|checks-and-codes|codes/|explain/|$)' },
      { text: 'Codes', link: '/checks-and-codes', activeMatch: '^/(?:checks-and-codes|codes/)' },
      { text: 'Explain', link: '/explain/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' }
    ],
    sidebar: {
      '/reference/': reference,
      '/codes/': codes,
      '/checks-and-codes': codes,
      '/': [...guide, { text: 'Reference', items: [{ text: 'All exports', link: '/reference/' }] }]
    },
    outline: { level: [2, 3], label: 'On this page' },
    externalLinkIcon: true,
    search: { provider: 'local' },
    ...(REPOSITORY !== undefined && {
      socialLinks: [{ icon: 'github', link: REPOSITORY, ariaLabel: 'The repository on GitHub' }]
    }),
    notFound: {
      title: 'Page not found',
      quote: 'Search for it above, or start at the first page.',
      linkLabel: 'First page',
      linkText: 'First page'
    }
  },
  transformPageData(page) {
    const file = fileOf(page.relativePath)
    if (file !== undefined) page.description = descriptionOf(read(file)) ?? DESCRIPTION
    if (page.relativePath.startsWith('reference/')) page.frontmatter['pageClass'] = 'reference'
  },
  transformHead({ title, description, pageData }) {
    const address =
      SITE && `${SITE}/${pageData.relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}`
    const properties = {
      'og:type': 'website',
      'og:title': title,
      'og:description': description,
      ...(address !== undefined && { 'og:url': address })
    }
    return Object.entries(properties).map(([property, content]) => ['meta', { property, content }])
  },
  transformHtml: (html, _file, { page }) => withPolicy(html, page),
  vite: {
    build: { target: 'es2022' },
    publicDir: fileURLToPath(new URL('../.build/public', import.meta.url)),
    resolve: {
      alias: [
        // VitePress's own search accepts 64 characters and does not find words by their stem, and a screen reader finds
        // a button around it.
        {
          find: /^.*\/VPLocalSearchBox\.vue$/,
          replacement: fileURLToPath(new URL('theme/SearchBox.vue', import.meta.url))
        }
      ]
    }
  }
})
