import { printMachine } from './report.ts'
import { askedOfOthers } from './server/asked-of-others.ts'
import { besideTheFloor } from './server/beside-floor.ts'
import { createSetting } from './server/setting.ts'
import { withForgeries } from './server/with-forgeries.ts'
import { withoutDns } from './server/without-dns.ts'

/** Puts a receiver under load over loopback: beside one that does only the floor, with forgeries, and without DNS. */
printMachine()
const setting = await createSetting().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
const broken = [...(await besideTheFloor(setting)), ...(await withForgeries(setting)), ...(await withoutDns(setting))]
await setting.close()
await askedOfOthers()
for (const promise of broken) console.log(`BROKEN: ${promise}`)
if (broken.length > 0) process.exitCode = 1
