import { escapeText, wrapExact } from './text.ts'

/** Long enough for any useful message, short enough not to fill a log. */
const MAX_MESSAGE = 300

/**
 * What the receiver's own function threw: name, message and place, each escaped and cut, and nothing else. The other
 * properties of an error may hold a connection string or a query's parameters.
 */
export function thrownLines(failure: object): string[] {
  if (!Object.hasOwn(failure, 'cause')) return []
  const { cause } = failure as { cause?: unknown }
  try {
    const { name, message, stack } = asError(cause)
    const place = placeIn(stack, message)
    return [
      wrapExact('  thrown: ', escapeText(message === '' ? name : `${name}: ${message}`, MAX_MESSAGE)),
      ...(place === undefined ? [] : [wrapExact('  at: ', escapeText(place, MAX_MESSAGE))])
    ]
  } catch {
    return ['  thrown: an error that cannot be read']
  }
}

function asError(cause: unknown): { name: string; message: string; stack: string } {
  if (typeof cause !== 'object' || cause === null)
    return { name: `${typeof cause}`, message: String(cause), stack: '' }
  const { name, message, stack } = cause as Partial<Record<'name' | 'message' | 'stack', unknown>>
  return {
    name: typeof name === 'string' ? name : 'an error without a name',
    message: typeof message === 'string' ? message : '',
    stack: typeof stack === 'string' ? stack : ''
  }
}

/** The first place in the receiver's own code: neither in a package nor in the runtime. */
function placeIn(stack: string, message: string): string | undefined {
  // The message comes first, and may have lines that look like places.
  const start = message === '' ? -1 : stack.indexOf(message)
  const lines = (start === -1 ? stack : stack.slice(start + message.length)).split('\n', MAX_LINES)
  const place = lines.find(
    line => /^\s*at .|^[^\s]*@/.test(line) && !/[\\/]node_modules[\\/]|\bnode:|<anonymous>|native/.test(line)
  )
  return place?.trim().replace(/^at /, '')
}

/** More than any runtime keeps by default. */
const MAX_LINES = 100
