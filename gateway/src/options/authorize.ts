import type { FlagValues } from '../../../flags/parse.ts'
import { runAll, UsageError } from '../../../flags/usage-error.ts'
import { AUTHORIZE } from './flags.ts'
import { type CommonSettings, commonSettings, replaySetting } from './settings.ts'

/** The settings that `authorize` is started with. */
export interface AuthorizerSettings extends CommonSettings {
  /** the place of the original method, target and Host: the request that asks, or its X-Forwarded-* headers */
  readonly from: 'as-is' | 'x-forwarded'
}

const STORES = [AUTHORIZE.sqlite.flag, AUTHORIZE.redis.flag, AUTHORIZE.postgres.flag]

/** Makes the settings of `authorize` from its flags and variables, as `settingsOf` does for the gateway. */
export function authorizerSettingsOf({ values, sourceOf }: FlagValues<typeof AUTHORIZE>): AuthorizerSettings {
  const { from, https, prefix, replay } = values
  const [common, store] = runAll(
    () => commonSettings(values),
    // A variable alone may be for the gateway that runs beside it.
    () => (replay ? replaySetting({ ...values, replay: 'memory' }, sourceOf) : { kind: 'none' as const }),
    () => refuseUnusedStore(replay === true, sourceOf),
    () => refuseSecondSource(from, https === 'always' || prefix !== undefined)
  )
  return { from, ...common, replay: store }
}

function refuseUnusedStore(replay: boolean, sourceOf: FlagValues<typeof AUTHORIZE>['sourceOf']): void {
  const unused = STORES.find(store => sourceOf(store) === 'flag')
  if (!replay && unused !== undefined)
    throw new UsageError(`--${unused} needs --replay: without it authorize claims nothing`)
}

function refuseSecondSource(from: string, isPresent: boolean): void {
  if (from === 'x-forwarded' && isPresent)
    throw new UsageError('--from x-forwarded takes all from X-Forwarded-*: leave out --https always and --prefix')
}
