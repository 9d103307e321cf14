import type { GatewaySettings } from '../options.ts'
import { VERSION } from '../page-files.ts'

/** What the page says of the settings. */
export interface SetupSettings
  extends Pick<GatewaySettings, 'upstream' | 'replay' | 'observe' | 'https' | 'prefix' | 'verifier'> {
  /** where requests are received: `http://127.0.0.1:8080` */
  origin: string
}

/** What the page says while no request is open: how the gateway is set up, and a line that sends a signed request. */
export function setupOf(settings: SetupSettings): object {
  const { origin, upstream, replay, observe, https, prefix, verifier } = settings
  const { serviceDomain: domain, hosts, accounts, accountHeader, accountPrefix, schemes } = verifier
  const ids = typeof accounts === 'function' ? [] : [accounts].flat()
  const flags = Object.entries({
    data: '{"id":1}',
    domain,
    host: [hosts].flat()[0],
    account: ids[0],
    'account-header': accountHeader,
    'account-prefix': accountPrefix,
    header: https === 'x-forwarded-proto' ? 'X-Forwarded-Proto: https' : undefined,
    prefix: prefix?.startsWith('/') ? prefix : undefined,
    scheme: schemes?.[0]?.name,
    // One with port 53 has no port here: it is a resolver of the machine.
    'serve-dns': verifier.lookupTxt?.servers?.().find(server => /^(?:127\.|\[::1\]).*:\d+$/.test(server))
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${quote(value)}`]))
  const facts = {
    host: [hosts].flat().join(', '),
    account: ids.join(', '),
    domain,
    upstream: upstream.origin,
    store: replay.kind,
    mode: observe ? 'OBSERVING: every request is forwarded' : 'only verified requests are forwarded',
    version: VERSION
  }
  return { observe, domain, facts, send: `npx signed-requests send ${origin}/hook ${flags.join(' ')}` }
}

/** For a POSIX shell (section 2.2.2): inside single quotes only the single quote has a meaning. */
const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
