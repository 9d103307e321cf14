import type { NodeRequest } from './request.ts'

/**
 * The parts of a layer of Express 4 and 5 that are read here. Express does not document them, so all may be missing.
 */
interface Layer {
  handle?: ((...args: never[]) => unknown) & { stack?: Layer[] }
  route?: { stack?: Layer[]; methods?: Record<string, boolean> }
  /** of a layer in a route: the method that it is for; undefined for all */
  method?: string
  /** Returns a match, or true and then `path` is what has matched. */
  match?(path: string): boolean | { path?: string }
  path?: string
}

interface ExpressRequest {
  app?: { _router?: { stack?: Layer[] }; router?: { stack?: Layer[] } }
  baseUrl?: string
}

/** No route is for this path, so a layer that matches it is for every path, such as the answer 404. */
const ANY_PATH = '/signed-requests/9f4c1b7e'

/**
 * Returns whether Express has another handler behind this one for the path of the request, in the same route or router:
 * it never runs, because this one answers. What is for every path is not counted: body parsers, an answer 404.
 */
export function hasUnreached(req: NodeRequest, handler: unknown): boolean {
  const { app, baseUrl = '' } = req as ExpressRequest
  const path = baseUrl + (req.url ?? '').replace(/\?.*/s, '')
  try {
    // The getter `router` of Express 4 throws.
    return isBehind((app?._router ?? app?.router)?.stack, path, (req.method ?? '').toLowerCase(), handler)
  } catch {
    return false
  }
}

/** @param path below the router that has this stack */
function isBehind(stack: Layer[] = [], path: string, method: string, handler: unknown): boolean {
  return stack.some((layer, index) => {
    const inRoute = layer.route?.stack ?? []
    const at = inRoute.findIndex(({ handle }) => handle === handler)
    if (at < 0 && layer.handle !== handler) {
      const match = layer.match?.(path)
      if (!match || !layer.handle?.stack) return false
      const prefix = (match === true ? layer.path : match.path) ?? ''
      return isBehind(layer.handle.stack, path.slice(prefix.length) || '/', method, handler)
    }
    const isNext = (other: Layer) => !handlesErrors(other) && (other.method === undefined || other.method === method)
    return inRoute.slice(at + 1).some(isNext) || stack.slice(index + 1).some(other => isFor(other, method, path))
  })
}

const handlesErrors = ({ handle }: Layer): boolean => (handle?.length ?? 0) > 3

function isFor(layer: Layer, method: string, path: string): boolean {
  const methods = layer.route?.methods
  if (handlesErrors(layer) || (methods && !methods[method] && !methods['_all'])) return false
  return Boolean(layer.match?.(path)) && !layer.match?.(ANY_PATH)
}
