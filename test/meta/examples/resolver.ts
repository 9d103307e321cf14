import { Resolver } from 'node:dns/promises'

// What /etc/resolv.conf is to an operator: every lookup in this process asks DNS_SERVER.
const { resolveTxt } = Resolver.prototype
Resolver.prototype.resolveTxt = function (name) {
  this.setServers([process.env['DNS_SERVER'] ?? ''])
  return resolveTxt.call(this, name)
}
