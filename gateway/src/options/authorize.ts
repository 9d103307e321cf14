import type { Given } from '../../../flags/parse.ts'
import { UsageError } from '../../../flags/usage-error.ts'
import { AUTHORIZE } from './flags.ts'
import { type CommonSettings, commonSettings, replaySetting } from './settings.ts'

/** The settings that `authorize` is started with. */
export interface AuthorizerSettings extends CommonSettings {
  /** the place of the original method, target and Host: the request that asks, or its X-Forwarded-* headers */
  readonly from: 'as-is' | 'x-forwarded'
}

const STORES = [AUTHORIZE.sqlite.flag, AUTHORIZE.redis.flag, AUTHORIZE.postgres.flag]

/** Makes the settings of `authorize` from its flags and variables, as `settingsOf` does for the gateway. */
export function authorizerSettingsOf({ values, sourceOf }: Given<typeof AUTHORIZE>): AuthorizerSettings {
  const { from, https, prefix, replay } = values
  const unused = STORES.find(store => sourceOf(store) === 'flag')
  if (!replay && unused !== undefined)
    throw new UsageError(`--${unused} needs --replay: without it authorize claims nothing`)
  if (from === 'x-forwarded' && (https === 'always' || prefix !== undefined)) {
    throw new UsageError('--from x-forwarded takes all from X-Forwarded-*: leave out --https always and --prefix')
  }
  // A variable alone may be for the gateway that runs beside it.
  const store = replay ? replaySetting({ ...values, replay: 'memory' }, sourceOf) : { kind: 'none' as const }
  return { from, ...commonSettings(values), replay: store }
}
