// From an access token to a verifier that knows its account id. Needs five environment variables:
// AUTH_URL, BASE_URL, ACCESS_TOKEN, SERVICE_DOMAIN (the domain of the service's keys), HOOK_HOST (your host name).
import { createVerifier } from 'signed-requests'
import { createAccountClient } from 'signed-requests/account'

const { AUTH_URL, BASE_URL, ACCESS_TOKEN, SERVICE_DOMAIN, HOOK_HOST } = process.env
const urls = { authUrl: AUTH_URL, baseUrl: BASE_URL }
export const account = createAccountClient({ ...urls, accessToken: ACCESS_TOKEN })
await account.identity() // may be left out: a wrong URL or token shows now instead of at the first request
const own = { serviceDomain: SERVICE_DOMAIN, hosts: HOOK_HOST }
export const verify = createVerifier({ ...own, accounts: account.accepts })
