import { checkAccount } from '../../../../src/core/checks/account.ts'
import type { Examination } from '../../../../src/core/checks/context.ts'
import { checkDate } from '../../../../src/core/checks/date.ts'
import { checkHost } from '../../../../src/core/checks/host.ts'
import { checkHttps } from '../../../../src/core/checks/https.ts'
import { checkSignature } from '../../../../src/core/checks/signature.ts'
import { Stages } from '../../../../src/core/checks/stage.ts'

// This file is never run: the compiler is the test.

declare const begun: Examination
const head = new Stages().add({ https: checkHttps, date: checkDate }, 'no')
const result = await head.run(begun)

export const passed: Examination<'https' | 'date'> | string = result

// @ts-expect-error stages may not have passed
export const open: Examination<'https' | 'date'> = result

// @ts-expect-error a check that no stage ran: host
export const notRun: Examination<'https' | 'date' | 'host'> | string = result

const undecided = await head.add({ account: checkAccount }, 'no').run(begun)
// @ts-expect-error a check that is decided later: the accounts function was not asked
export const notAsked: Examination<'account'> | string = undecided

// @ts-expect-error a check that needs what others find, before they ran
head.add({ signature: checkSignature }, 'no')

// @ts-expect-error a check under the name of another, with another kind of finding
head.add({ date: checkHost }, 'no')

// @ts-expect-error an undeclared check
head.add({ weather: checkHost }, 'no')
