import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ED25519, type TestKey } from '../../../fixtures/source/keys.ts'
import { vector } from '../../../fixtures/source/recipe.ts'
import { VERIFIED } from '../../../fixtures/source/verdicts.ts'
import { createVerifier } from '../../../src/index.ts'
import { load, versionOf } from '../peers/peer.ts'
import type { Sample } from './records.ts'

/** Judges the records by a signature of the record's key. */
export interface DkimVerifier {
  name: string
  judge(samples: readonly Sample[]): Promise<boolean[]>
}

const DOMAIN = 'service.example'
const SELECTOR = 'one'

/** Returns our verdict on a request that is signed with the key. */
export const library: DkimVerifier = {
  name: 'signed-requests',
  async judge(list) {
    const answers: boolean[] = []
    for (const { answer, key } of list) {
      const isEd25519 = key === ED25519
      const { request, now } = vector('sample', VERIFIED, {
        key,
        scheme: isEd25519 ? 'ed25519' : 'pkcs1-sha256',
        algorithm: isEd25519 ? 'ed25519' : 'rsa-sha256'
      })
      const verify = createVerifier({
        serviceDomain: DOMAIN,
        hosts: 'hooks.example.com',
        accounts: '1234',
        algorithms: ['rsa-sha256', 'ed25519'],
        now: () => Date.parse(now),
        lookupTxt: async () => answer.map(strings => [...strings])
      })
      const body = request.body !== null && 'utf8' in request.body ? request.body.utf8 : null
      answers.push((await verify({ ...request, body })).status === 'verified')
    }
    return answers
  }
}

const messages = new Map<TestKey, Promise<string>>()

/** Signs a message with the key, by mailauth. */
function messageOf(key: TestKey): Promise<string> {
  const signed = messages.get(key) ?? signMessage(key)
  messages.set(key, signed)
  return signed
}

async function signMessage(key: TestKey): Promise<string> {
  const { dkimSign } = (await load('mailauth/lib/dkim/sign.js')).default
  const text = `From: a@${DOMAIN}\r\nTo: b@receiver.example\r\nSubject: x\r\nDate: Fri, 20 Nov 2026 12:00:00 +0000\r\n\r\nbody\r\n`
  const { signatures } = await dkimSign(text, {
    canonicalization: 'relaxed/relaxed',
    // The message is the same in every run.
    signTime: new Date('2026-11-20T12:00:00Z'),
    signatureData: [
      {
        signingDomain: DOMAIN,
        selector: SELECTOR,
        privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        algorithm: key === ED25519 ? 'ed25519-sha256' : 'rsa-sha256'
      }
    ]
  })
  return signatures + text
}

const mailauth: DkimVerifier = {
  name: `npm mailauth ${versionOf('mailauth')}`,
  async judge(list) {
    const { dkimVerify } = (await load('mailauth/lib/dkim/verify.js')).default
    const answers: boolean[] = []
    for (const { answer, key } of list) {
      const { results } = await dkimVerify(await messageOf(key), { resolver: async () => answer })
      answers.push(results[0]?.status?.result === 'pass')
    }
    return answers
  }
}

function program(name: string, command: string, file: string): DkimVerifier {
  return {
    name,
    async judge(list) {
      const jobs = await Promise.all(
        list.map(async ({ answer, key }) => JSON.stringify({ answer, message: await messageOf(key) }))
      )
      const path = fileURLToPath(new URL(file, import.meta.url))
      const { stdout, stderr } = spawnSync(command, [path], { input: `${jobs.join('\n')}\n`, encoding: 'utf8' })
      const answers = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line || 'null') as unknown)
      if (answers.length !== list.length || !answers.every(answer => typeof answer === 'boolean'))
        throw new Error(`${name} is needed (apt-get install): ${stderr}`)
      return answers as boolean[]
    }
  }
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: a field of dpkg
const FORMAT = '${Version}'
const debianVersion = (name: string): string =>
  spawnSync('dpkg-query', ['-W', '-f', FORMAT, name], { encoding: 'utf8' }).stdout.replace(/-.*/, '')

export const DKIM_VERIFIERS: readonly DkimVerifier[] = [
  mailauth,
  program(`python3-dkim ${debianVersion('python3-dkim')}`, '/usr/bin/python3', 'verify.py'),
  program(`libmail-dkim-perl ${debianVersion('libmail-dkim-perl')}`, 'perl', 'verify.pl')
]
