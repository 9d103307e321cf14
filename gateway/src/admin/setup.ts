import { hostname } from 'node:os'
import { SHARED, UNSHARED } from '../../../flags/table.ts'
import { DEFAULTS, quote } from '../../../src/internal/index.ts'
import { asksAgain } from '../exchange.ts'
import type { GatewaySettings } from '../options/settings.ts'
import { VERSION } from '../page-files.ts'
import { ANY_ACCOUNT, accountFlags } from '../seen-accounts.ts'

/** The settings that the page shows. */
export interface SetupSettings
  extends Pick<GatewaySettings, 'upstream' | 'replay' | 'observe' | 'refusalStatus' | 'https' | 'prefix' | 'verifier'> {
  /** the address for requests: `http://127.0.0.1:8080` */
  origin: () => string
}

/**
 * Makes the text of the page while no request is open: the settings of the gateway, and a line that sends a signed
 * request.
 */
export function setupOf(settings: SetupSettings): object {
  const { origin, upstream, replay, observe, https, prefix, verifier } = settings
  const { serviceDomain: domain, hosts, accounts, accountHeader, accountPrefix, schemes } = verifier
  const ids = typeof accounts === 'function' ? [] : [accounts].flat()
  // An address with port 53 is written without it here: it is a resolver of the machine.
  const ownDns = verifier.lookupTxt?.servers?.().find(server => /^(?:127\.|\[::1\]).*:\d+$/.test(server))
  const flags = Object.entries({
    data: '{"id":1}',
    [SHARED.serviceDomain.flag]: domain,
    [SHARED.hosts.flag]: [hosts].flat()[0],
    [SHARED.accounts.flag]: ids[0],
    [SHARED.accountHeader.flag]: accountHeader,
    [SHARED.accountPrefix.flag]: accountPrefix,
    header: https === 'x-forwarded-proto' ? 'X-Forwarded-Proto: https' : undefined,
    [UNSHARED.prefix.flag]: prefix?.startsWith('/') ? prefix : undefined,
    [SHARED.schemes.flag]: schemes?.[0]?.name,
    'serve-dns': ownDns
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${quote(value)}`]))
  const facts = {
    host: [hosts].flat().join(', '),
    domain,
    upstream: upstream.origin,
    store: observe ? 'none while observing' : replay.kind,
    mode: modeOf(settings),
    version: VERSION,
    process: `${process.pid} on ${hostname()}`
  }
  return {
    banner: bannerOf(settings),
    facts,
    accountPrefix: accountPrefix ?? DEFAULTS.accountPrefix,
    send: `npx signed-requests send ${origin()}/hook ${flags.join(' ')}`,
    sendNote: ownDns === undefined ? PUBLISH : `It serves its key record at ${ownDns}, where this gateway asks.`
  }
}

const PUBLISH =
  'It prints the key record to publish. Or let it serve the record: add --serve-dns 127.0.0.1:5353, and start the ' +
  'gateway with --dns-server 127.0.0.1:5353.'

type Mode = Pick<SetupSettings, 'observe' | 'refusalStatus'>

/** Returns the warning that refusals differ from the usual 401 and 413; empty when they do not. */
function bannerOf({ observe, refusalStatus }: Mode): string {
  if (observe) return 'OBSERVING: nothing is refused'
  if (refusalStatus === undefined) return ''
  const isRetried = asksAgain(refusalStatus)
  return `${isRetried ? 'ASKING FOR RETRIES' : 'INTRODUCING'}: refused requests get ${refusalStatus}`
}

const modeOf = (mode: Mode): string =>
  mode.observe ? 'OBSERVING: every request is forwarded' : bannerOf(mode) || 'only verified requests are forwarded'

/** Says which accounts are accepted; without --account, for which accounts signed requests came, and what to write. */
export function accountFact({
  verifier: { accounts },
  seenAccounts
}: Pick<SetupSettings, 'verifier'> & { readonly seenAccounts: ReadonlySet<string> }): string {
  if (accounts !== ANY_ACCOUNT) return typeof accounts === 'function' ? '' : [accounts].flat().join(', ')
  if (seenAccounts.size === 0) return 'not set, and no signed request has arrived yet'
  const seen = [...seenAccounts].join(', ')
  return `not set; signed requests arrived for ${seen}: write ${accountFlags(seenAccounts)} if that is yours`
}
