/** Throws a TypeError for a name that is no option: misspelt, it would be as if it were not there. */
export function assertOptionNames(of: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find(name => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`${of}() has no option ${JSON.stringify(unknown)}`)
}
