import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../../src/core/options/options.ts'
import type { ReceivedRequest } from '../../../src/index.ts'
import type { TestService } from '../../../src/testing/index.ts'
import { FORGERIES, KINDS, type Kind } from './kinds.ts'

/** Holds a running recipe. `send` resolves to the status of its answer. */
export interface RunningRecipe {
  send(request: ReceivedRequest): Promise<number>
  /** sends it as a request that came to the proxy over plain HTTP; only where there is a proxy */
  sendUnencrypted?(request: ReceivedRequest): Promise<number>
  close(): unknown
}

export interface Setting {
  kinds?: readonly Kind[]
  /** the server in front of the recipe: a proxy that ends TLS, none, or a gateway with a limit of its own */
  behind?: 'proxy' | 'nothing' | 'gateway'
  /** the answer of its handler: empty by default */
  answer?: 200 | 202 | 204
}

/** Starts a recipe and sends it every request that it must verify and every forgery that it must refuse. */
export function testRecipe(
  name: string,
  service: TestService,
  start: () => Promise<RunningRecipe>,
  { kinds = KINDS, behind = 'proxy', answer = 204 }: Setting = {}
): void {
  describe(name, () => {
    let recipe: RunningRecipe
    beforeAll(async () => {
      recipe = await start()
    })
    afterAll(() => recipe?.close())

    test.each(kinds)('verifies $name', async ({ request }) => {
      expect(await recipe.send(service.sign(request))).toBe(answer)
    })

    test.each(FORGERIES)('refuses $name', async ({ forge }) => {
      expect(await recipe.send(forge(service))).toBe(401)
    })

    if (behind === 'gateway') return
    test('answers 413 to a body over the limit', async () => {
      const body = `{${' '.repeat(DEFAULTS.maxBodyBytes)}}`
      expect(await recipe.send(service.sign({ target: '/hook/orders', body }))).toBe(413)
    })

    if (behind === 'nothing') return
    test('refuses a request that did not come over HTTPS', async () => {
      expect(await recipe.sendUnencrypted?.(service.sign(kinds[0]!.request))).toBe(401)
    })
  })
}
