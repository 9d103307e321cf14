/**
 * Returns where the content of an old address is now; undefined for an address that is current.
 *
 * @param page the address below the base, such as `security.html`
 * @param anchor without `#`, of a heading that the page no longer has
 */
export function movedTo(page: string, anchor: string): string | undefined {
  if (!/^[a-z\d-]+$/.test(anchor)) return undefined
  // Each code was a heading of one page.
  if (page === 'checks-and-codes.html') return `codes/${anchor}.html`
  // The README was the first page.
  if (page === '' || page === 'index.html') return `overview.html#${anchor}`
  // The tables of threats and costs were on the page that says how to report.
  if (page === 'security.html') return `threat-model.html#${anchor}`
  return undefined
}
