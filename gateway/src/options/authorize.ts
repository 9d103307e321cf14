import type { Command } from 'commander'
import { type Env, readFlags, sourceOf } from './command.ts'
import { AUTHORIZE, GATEWAY } from './flags.ts'
import { type CommonSettings, commonSettings, replaySetting } from './settings.ts'

/** What `authorize` is started with. */
export interface AuthorizerSettings extends CommonSettings {
  /** where the original method, target and Host are: in the request that asks, or in its X-Forwarded-* headers */
  readonly from: 'as-is' | 'x-forwarded'
}

/** What the flags and variables of `authorize` give, as `settingsOf` of the gateway. */
export function authorizerSettingsOf(command: Command, env: Env): AuthorizerSettings {
  const values = readFlags(command, AUTHORIZE, env, GATEWAY)
  const { from, https, prefix, replay } = values
  const unused = ([AUTHORIZE.sqlite.flag, AUTHORIZE.redis.flag, AUTHORIZE.postgres.flag] as const).find(
    store => sourceOf(command, store) === 'flag'
  )
  if (!replay && unused !== undefined) command.error(`--${unused} needs --replay: without it authorize claims nothing`)
  if (from === 'x-forwarded' && (https === 'always' || prefix !== undefined)) {
    command.error('--from x-forwarded takes all from X-Forwarded-*: leave out --https always and --prefix')
  }
  // A variable alone may be for the gateway beside it.
  const store = replay ? replaySetting(command, { ...values, replay: 'memory' }) : { kind: 'none' as const }
  return { from, ...commonSettings(command, values), replay: store }
}
