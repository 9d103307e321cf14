import { Resolver } from 'node:dns/promises'

// Makes every lookup in this process ask DNS_SERVER, as an operator would with /etc/resolv.conf.
const { resolveTxt } = Resolver.prototype
Resolver.prototype.resolveTxt = function (name) {
  this.setServers([process.env['DNS_SERVER'] ?? ''])
  return resolveTxt.call(this, name)
}
