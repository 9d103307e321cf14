/**
 * A signer by RFC 9421 that shares nothing with the verifier in `src/`, nor with its parser: every line of the signature
 * base is written down, identifier and value.
 */

/** By name, in order; undefined leaves one out. */
export type Parts = Readonly<Record<string, string | undefined>>

export interface Written {
  /** a member of Signature-Input */
  input: string
  /** a member of Signature */
  signature: string
  /** what was signed */
  base: string
}

const present = (parts: Parts): [string, string][] =>
  Object.entries(parts).filter((part): part is [string, string] => part[1] !== undefined)

/** Signs lines of the base (section 2.5) with parameters as they are written (section 2.3). */
export function signLines(label: string, lines: Parts, params: Parts, sign: (base: string) => Uint8Array): Written {
  const list = present(lines).map(([identifier]) => identifier)
  const value = `(${list.join(' ')})${present(params)
    .map(([name, text]) => `;${name}=${text}`)
    .join('')}`
  const base = [
    ...present(lines).map(([identifier, text]) => `${identifier}: ${text}`),
    `"@signature-params": ${value}`
  ].join('\n')
  return {
    base,
    input: `${label}=${value}`,
    signature: `${label}=:${Buffer.from(sign(base)).toString('base64')}:`
  }
}
