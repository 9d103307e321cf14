// https.test.ts runs this in a process of its own: Node.js reads the trusted certificates when it starts.
import { createAccountClient } from '../../../src/account/index.ts'

const [authUrl = '', baseUrl = '', accessToken = ''] = process.argv.slice(2)
// A timer left behind would keep the process alive for longer than the test waits.
const account = createAccountClient({ authUrl, baseUrl, accessToken, timeout: 600_000 })
const { accountId } = await account.identity()
const echo = (await (await account.fetch('/things')).json()) as { url: string }
console.log(JSON.stringify({ accountId, accepts: account.accepts('4711'), url: echo.url }))
