/**
 * From an access token to the account id and to authorized calls.
 *
 * @module signed-requests/account
 */
export { type AccountClient, createAccountClient } from './client.ts'
export { AccountError, type AccountErrorCode } from './errors.ts'
export type { Identity } from './identity.ts'
export type { AccountClientOptions } from './options.ts'
