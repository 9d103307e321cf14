import type { ShikiTransformer } from 'shiki'

/** Writes colours as classes: the policy of the pages allows no style in an attribute. */
export const classes: ShikiTransformer = {
  name: 'site:classes',
  span(node) {
    const [, name] = /--shiki-token-([\w-]+)/.exec(String(node.properties['style'] ?? '')) ?? []
    delete node.properties['style']
    if (name !== undefined) node.properties['class'] = `token-${name}`
  }
}
