/**
 * Loads a package of bench/node_modules. It may be absent, so nothing here is typed by it.
 *
 * @throws Error that says how to install it
 */
export async function load<Module>(name: string): Promise<Module> {
  try {
    return (await import(name)) as Module
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`${name} is not installed: npm ci --prefix bench`)
  }
}
