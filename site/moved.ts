/** Sections that have another heading or page now, by their old address. */
export const RENAMED: Readonly<Record<string, string>> = {
  'account.html#find-it-once': 'account.html#find-your-account-id',
  'account.html#or-let-the-verifier-find-it': 'account.html#let-the-verifier-look-it-up',
  'account.html#the-client': 'account.html#call-the-services-api',
  'behind-a-proxy.html#aws-application-load-balancer-and-api-gateway':
    'behind-a-proxy.html#aws-load-balancer-and-api-gateway',
  'frameworks.html#the-body': 'frameworks.html#read-the-body',
  'frameworks.html#test-your-handler': 'testing.html#in-a-test',
  'gateway.html#run-it': 'deploy.html#deploy-the-gateway',
  'introduce.html#2-ask-again': 'introduce.html#2-ask-for-retries',
  'keys-and-dns.html#publishing-a-key': 'keys-and-dns.html#publish-a-key',
  'keys-and-dns.html#the-monthly-rotation-as-a-receiver-sees-it': 'keys-and-dns.html#rotate-a-key',
  'keys-and-dns.html#what-people-did-wrong-and-how-it-looks': 'keys-and-dns.html#common-publishing-mistakes',
  'keys-and-dns.html#a-lookup-of-your-own': 'keys-and-dns.html#write-your-own-lookup',
  'options.html#on-a-command-line': 'options.html#flags-and-environment-variables',
  'options.html#throwing-instead-of-returning': 'options.html#throw-instead-of-compare',
  'testing.html#try-it-by-hand': 'testing.html#try-a-receiver-that-is-running',
  'testing.html#a-receiver-as-it-is': 'testing.html#try-it-with-one-command',
  'testing.html#the-request-that-was-refused-last-night': 'testing.html#record-refused-requests',
  'testing.html#keep-a-request-as-a-test': 'testing.html#capture-one-request'
}

/**
 * Returns where the content of an old address is now; undefined for an address that is current.
 *
 * @param page the address below the base, such as `security.html`
 * @param anchor without `#`, of a heading that the page no longer has
 */
export function movedTo(page: string, anchor: string): string | undefined {
  if (!/^[a-z\d-]+$/.test(anchor)) return undefined
  const old = `${page}#${anchor}`
  if (Object.hasOwn(RENAMED, old)) return RENAMED[old]
  // Each code was a heading of one page.
  if (page === 'checks-and-codes.html') return `codes/${anchor}.html`
  // The README was the first page.
  if (page === '' || page === 'index.html') return `overview.html#${anchor}`
  // The tables of threats and costs were on the page that says how to report.
  if (page === 'security.html') return `threat-model.html#${anchor}`
  return undefined
}
