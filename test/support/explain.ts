import type { SignedTestRequest } from '../../src/testing/index.ts'
import { runInside } from './run-cli.ts'
import { service } from './service.ts'

/** Describes the receiver of the test service to the command line. */
export const RECEIVER = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']

export const [[KEY_NAME, RECORD]] = Object.entries(service.records).map(([name, [record]]) => [
  name,
  record!.join('')
]) as [[name: string, record: string]]

/** Runs `explain` with everything that it needs except a file. */
export const EXPLAIN: readonly string[] = ['explain', ...RECEIVER, '--key-record', RECORD]

/** Explains a capture; `text` is the output without the line breaks inside a message. */
export async function explain(file: string | Uint8Array, ...flags: readonly string[]) {
  const finished = await runInside([...EXPLAIN, ...flags], file)
  return { ...finished, text: unwrap(finished.stdout) }
}

/** Removes the line breaks that fit a message to a terminal. */
export const unwrap = (text: string): string => text.replace(/\n {8,24}/g, ' ')

/** Writes the head of a request as HTTP/1.1 does. */
export const headOf = ({ method, target, headers }: Pick<SignedTestRequest, 'method' | 'target' | 'headers'>): string =>
  `${method} ${target} HTTP/1.1\r\n${headers.map(pair => pair.join(': ')).join('\r\n')}\r\n\r\n`
