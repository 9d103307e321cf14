// Makes a verifier from an access token. Needs five environment variables: AUTH_URL,
// BASE_URL, ACCESS_TOKEN, SERVICE_DOMAIN (of the service's keys), HOOK_HOST (your own).
import { createVerifier } from 'signed-requests'
import { createAccountClient } from 'signed-requests/account'

const { AUTH_URL, BASE_URL, ACCESS_TOKEN, SERVICE_DOMAIN, HOOK_HOST } = process.env
const urls = { authUrl: AUTH_URL, baseUrl: BASE_URL }
export const account = createAccountClient({ ...urls, accessToken: ACCESS_TOKEN })
await account.identity() // optional: a wrong URL or token fails now
const own = { serviceDomain: SERVICE_DOMAIN, hosts: HOOK_HOST }
export const verify = createVerifier({ ...own, accounts: account.accepts })
