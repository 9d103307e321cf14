import { ERRORS } from './facts.ts'

/** Codes of the network, of DNS and of TLS, besides those that are explained in words. */
const OF_NETWORK = [
  /^(?:EPIPE|EPROTO|E(?:NET|HOST)(?:UNREACH|DOWN)|ECONNABORTED|EADDRNOTAVAIL|EAI_[A-Z]+|ESOCKETTIMEDOUT|ABORT_ERR)$/,
  /^(?:EFORMERR|ENOTIMP|EBADQUERY|ECANCELLED|EDESTRUCTION|EOF|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/,
  /^UND_ERR_(?:CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET|RESPONSE|RESPONSE_STATUS_CODE)$/,
  /^(?:ERR_TLS|ERR_SSL|CERT)_[A-Z_]+$|_CERT(?:_|$)|^(?:UNABLE_TO|SELF_SIGNED)_/
]

/**
 * Codes of databases: the classes of SQLSTATE that the state of the server causes, and not a query; SQLite's; and the
 * replies of Redis.
 */
const OF_DATABASE = [
  /^(?:08|25|28|40|42|53|54|55|57|58|F0|XX)[0-9A-Z]{3}$/,
  /^(?:SQLITE|ERR_SQLITE)_[A-Z_]+$/,
  /^(?:BUSY|CLUSTERDOWN|MASTERDOWN|MISCONF|NOREPLICAS|NOPERM|WRONGPASS|TRYAGAIN|MOVED|ASK|NOSCRIPT|EXECABORT)$/
]

/**
 * Returns whether the network or a database failed. The label is that of an error that a function of the receiver
 * threw: its code or, without one, its name. The function's own code threw an error whose label is not listed here.
 */
export const isOutside = (label: string): boolean =>
  Object.hasOwn(ERRORS, label) || [...OF_NETWORK, ...OF_DATABASE].some(pattern => pattern.test(label))
