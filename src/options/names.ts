import { isToken } from '../http/fields.ts'
import { normalizeName } from '../key/name.ts'
import { describe } from '../mistakes/describe.ts'
import { orUndefined } from '../mistakes/own-options.ts'

/** The DNS name under which keys are accepted, normalized. Under a top-level domain anyone could sign. */
export function validateDomain(domain: unknown): string {
  const name = typeof domain === 'string' ? normalizeName(domain) : undefined
  if (name === undefined) {
    throw new TypeError(
      `serviceDomain is ${orUndefined(domain)}: write the DNS name under which the service publishes its keys, such ` +
        'as "service.example"'
    )
  }
  if (!name.includes('.')) {
    throw new TypeError(
      `serviceDomain is ${describe(domain)}, a single label: anyone can publish a key under it, so write the ` +
        'service\'s own domain, such as "service.example"'
    )
  }
  return name
}

/** In lower case. */
export function validateHeaderName(name: unknown, option: string): string {
  if (typeof name === 'string' && isToken(name)) return name.toLowerCase()
  throw new TypeError(`${option} has ${describe(name)}: write the name of a header, such as "X-Service-ID"`)
}

export function validateAlsoCovered(alsoCovered: unknown): string[] {
  if (!Array.isArray(alsoCovered)) {
    throw new TypeError(
      `alsoCovered is ${describe(alsoCovered)}: pass an array of header names, such as ["content-type"]`
    )
  }
  return alsoCovered.map(name =>
    name === '(created)' || name === '(expires)' ? name : validateHeaderName(name, 'alsoCovered')
  )
}
