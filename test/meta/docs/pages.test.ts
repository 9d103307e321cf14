import { describe, expect, test } from 'vitest'
import { anchorsOf, linksOf, splitPage } from './pages.ts'

describe('anchors, as GitHub makes them', () => {
  test.each([
    ['## Behind a proxy', 'behind-a-proxy'],
    ['### `node:http`', 'nodehttp'],
    ['## Next.js', 'nextjs'],
    ['### AWS: load balancer and API Gateway', 'aws-load-balancer-and-api-gateway'],
    ['## 503, and the sender tries again', '503-and-the-sender-tries-again'],
    ['### key-lookup-failed', 'key-lookup-failed'],
    ['## Types without @types/node', 'types-without-typesnode'],
    ['## A [link](other.md) in it', 'a-link-in-it'],
    ['## snake_case & more', 'snake_case--more']
  ])('%s', (line, anchor) => {
    expect([...anchorsOf(line)]).toEqual([anchor])
  })

  test('counts headings that are the same', () => {
    expect([...anchorsOf('# a\n\n## b\n\n## b\n\n## b\n')]).toEqual(['a', 'b', 'b-1', 'b-2'])
  })
})

test('finds links, images and references, and none in code', () => {
  const { prose } = splitPage(
    'x.md',
    '[a](b.md#c) ![d](e.svg)\n`[no](no.md)`\n\n```md\n[no](no.md)\n```\n\n[r]: f.md\n'
  )
  expect(linksOf(`${prose}\n<img src="g.svg">`)).toEqual(['b.md#c', 'e.svg', 'f.md', 'g.svg'])
})

test('finds code blocks with their language and note', () => {
  const { blocks } = splitPage(
    'x.md',
    'text\n\n<!-- example: a.ts -->\n\n```ts\nlet a\n```\n\n```\nplain\n```\n'
  )
  expect(blocks).toEqual([
    { page: 'x.md', line: 5, language: 'ts', code: 'let a\n', note: 'example: a.ts' },
    { page: 'x.md', line: 9, language: '', code: 'plain\n', note: '' }
  ])
})

test('rejects a code block without an end', () => {
  expect(() => splitPage('x.md', '```js\n')).toThrow('x.md:1')
})
