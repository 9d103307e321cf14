/** An object of JSON. Read no name of it that is on a prototype. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOr = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const isText = (value: unknown): value is string => typeof value === 'string'
