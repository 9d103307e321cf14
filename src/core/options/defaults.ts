import { RSA_BITS } from '../key/rsa-der.ts'

/** The values of options that are left out. The other options are required, or their default is code. */
export const DEFAULTS = {
  accountHeader: 'X-Service-ID',
  accountPrefix: 'account-',
  requireHttps: true,
  dateTolerance: 300,
  alsoCovered: [],
  minRsaBits: RSA_BITS.min,
  maxRsaBits: RSA_BITS.max,
  maxBodyBytes: 10_485_760,
  bodyTimeout: 30_000,
  lookupTimeout: 5000,
  replayTimeout: 1000
} as const
