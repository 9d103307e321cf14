/**
 * Codes of errors which say that a store or a resolver cannot be reached, logged in to or written: of the network, of
 * TLS, of PostgreSQL (SQLSTATE, whole classes), of SQLite, and of the replies of Redis; `NOT_CONNECTED` is what a
 * client says of itself. The text of an error is never read.
 */
const UNREACHABLE = [
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ESOCKETTIMEDOUT|EPIPE|EPROTO|E(?:NET|HOST)(?:UNREACH|DOWN)|EADDRNOTAVAIL)$/,
  /^(?:ENOTFOUND|EAI_[A-Z]+|NOT_CONNECTED)$/,
  /^(?:ERR_TLS|ERR_SSL|CERT)_[A-Z_]+$|_CERT(?:_|$)|^(?:UNABLE_TO|SELF_SIGNED)_/,
  /^UND_ERR_(?:CONNECT_TIMEOUT|HEADERS_TIMEOUT|SOCKET)$/,
  // Connection, authorization, resources (also too many connections), operator (also shutdown and start).
  /^(?:08|28|53|57P)[0-9A-Z]{2,3}$/,
  // Read-only, no such database, no such table, no right to it.
  /^(?:25006|3D000|42P01|42501)$/,
  /^SQLITE_(?:READONLY|CANTOPEN|FULL|IOERR|PERM|AUTH|BUSY|LOCKED|NOTADB|CORRUPT)(?!_DBMOVED)(?:_[A-Z]+)?$/,
  /^(?:WRONGPASS|NOAUTH|NOPERM|READONLY|LOADING|OOM|MISCONF|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|TRYAGAIN)$/
]

/** Returns whether the code of an error says that a store or a resolver cannot be reached, logged in to or written. */
export const isUnreachable = (code: string): boolean => UNREACHABLE.some(pattern => pattern.test(code))
