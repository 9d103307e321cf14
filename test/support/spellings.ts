/** Follows RFC 4648 sections 3 and 4 strictly: whole groups, one alphabet, zero in the spare bits. */
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/

export const isCanonical = (text: string): boolean => CANONICAL.test(text)

/**
 * Yields each of the 65,536 characters at each position of a group, with and without padding, and before and after one.
 */
export function* spellings(): Generator<string> {
  for (let code = 0; code <= 0xffff; code++) {
    const char = String.fromCharCode(code)
    yield `${char}AAA`
    yield `A${char}AA`
    yield `AA${char}A`
    yield `AAA${char}`
    yield `AA${char}=`
    yield `A${char}==`
    yield `AA=${char}`
    yield `${char}AAAAAAA`
    yield `AAAAAAA${char}`
    yield `AAAA${char}`
    yield char
  }
}
