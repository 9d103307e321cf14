import { isToken } from '../http/fields.ts'
import { describe } from '../mistakes/describe.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import { validateDomain } from '../options/values.ts'

/** The service to stand in for; all of it is optional. */
export interface TestServiceOptions {
  /** `service.example` by default */
  serviceDomain?: string
  /** the account the requests are for; `1234` by default */
  accountId?: string
  /** `X-Service-ID` by default */
  accountHeader?: string
  /** 2048 by default */
  rsaBits?: number
}

/** With defaults for what was left out. @throws TypeError */
export function validateServiceOptions(options: TestServiceOptions): Required<TestServiceOptions> {
  const {
    serviceDomain = 'service.example',
    accountId = '1234',
    accountHeader = 'X-Service-ID',
    rsaBits = 2048
  } = ownOptions('createTestService', options, ['serviceDomain', 'accountId', 'accountHeader', 'rsaBits'])
  if (typeof accountId !== 'string' || accountId === '' || accountId.trim() !== accountId) {
    throw new TypeError(
      `accountId is ${describe(accountId)}: pass the id alone as a string, such as accountId: "1234"`
    )
  }
  if (typeof accountHeader !== 'string' || !isToken(accountHeader)) {
    throw new TypeError(
      `accountHeader is ${describe(accountHeader)}: pass the name of a header, such as "X-Service-ID"`
    )
  }
  if (!Number.isInteger(rsaBits) || rsaBits < 512 || rsaBits > 16_384) {
    throw new TypeError(`rsaBits is ${describe(rsaBits)}: pass the length of the key, such as 2048`)
  }
  return { serviceDomain: validateDomain(serviceDomain), accountId, accountHeader, rsaBits }
}
