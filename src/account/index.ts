/**
 * Gets the account id of an access token, and makes authorized calls.
 *
 * @module signed-requests/account
 */

export type { Fetch } from '../outgoing/fetch-once.ts'
export type { Identity } from './api.ts'
export { type AccountClient, createAccountClient } from './client.ts'
export { AccountError, type AccountErrorCode } from './errors.ts'
export type { AccountClientOptions } from './options.ts'
