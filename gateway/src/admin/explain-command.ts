import type { VerifierOptions } from '../../../src/options/options.ts'

/**
 * The command that explains a request from a file: a fixture of it, or any other capture. It has the options of this
 * gateway, so that the result is the same as here.
 *
 * @param at when the request was judged, in milliseconds since 1970
 * @returns one line for a POSIX shell
 */
export function explainCommand(file: string, at: number, options: VerifierOptions): string {
  const {
    serviceDomain,
    hosts,
    accounts,
    accountHeader,
    accountPrefix,
    schemes = [],
    algorithms = []
  } = options
  const flags: [name: string, value: string][] = [
    ['domain', serviceDomain],
    ...[hosts].flat().map((host): [string, string] => ['host', host]),
    ...(typeof accounts === 'function' ? [] : [accounts].flat()).map((id): [string, string] => [
      'account',
      id
    ]),
    ...(accountHeader === undefined ? [] : ([['account-header', accountHeader]] as [string, string][])),
    ...(accountPrefix === undefined ? [] : ([['account-prefix', accountPrefix]] as [string, string][])),
    ...schemes.map(({ name }): [string, string] => ['scheme', name]),
    ...algorithms.map((algorithm): [string, string] => ['algorithm', algorithm]),
    ['now', `${new Date(at).toISOString().slice(0, 19)}Z`]
  ]
  // With "=", so that a value may begin with a dash.
  return [
    'npx signed-requests explain',
    file,
    ...flags.map(([name, value]) => `--${name}=${quote(value)}`)
  ].join(' ')
}

/** For a POSIX shell (section 2.2.2): inside single quotes only the single quote has a meaning. */
const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
