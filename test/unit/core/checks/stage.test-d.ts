import { checkAccount } from '../../../../src/core/checks/account.ts'
import type { Examination } from '../../../../src/core/checks/context.ts'
import { checkDate } from '../../../../src/core/checks/date.ts'
import { checkHost } from '../../../../src/core/checks/host.ts'
import { checkHttps } from '../../../../src/core/checks/https.ts'
import { checkReplay } from '../../../../src/core/checks/replay.ts'
import { checkSignature } from '../../../../src/core/checks/signature.ts'
import { run } from '../../../../src/core/checks/stage.ts'

// This file is never run: the compiler is the test.

declare const begun: Examination
const stage = { https: checkHttps, date: checkDate }

export const passed: Examination<'https' | 'date'> = run(stage, begun)!

// @ts-expect-error a stage may not have passed
export const open: Examination<'https' | 'date'> = run(stage, begun)

// @ts-expect-error a check that no stage ran: host
export const notRun: Examination<'https' | 'date' | 'host'> = run(stage, begun)!

// @ts-expect-error a check that is decided later: the accounts function was not asked
export const notAsked: Examination<'account'> = run({ account: checkAccount }, begun)!

// @ts-expect-error a check that needs what others find, before they ran
export const early = run({ signature: checkSignature }, begun)

// @ts-expect-error a check that waits, in a stage that does not
export const waits = run({ replay: checkReplay }, passed)

// @ts-expect-error a check under the name of another, with another kind of finding
export const wrongName = run({ date: checkHost }, begun)

// @ts-expect-error an undeclared check
export const undeclared = run({ weather: checkHost }, begun)
