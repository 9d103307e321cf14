import { describe, expect, it } from 'vitest'
import { createTestService } from '../../../../src/testing/index.ts'
import { runInside } from '../../../support/run-cli.ts'

const service = createTestService()
const [RECORD] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const ARGS = ['explain', ...FLAGS, '--key-record', RECORD!]

const exportOf = (target: string, { isSigned = true } = {}) => {
  const { method, headers } = service.sign({ target })
  return { method, url: target, headers: isSigned ? headers : [['Host', 'receiver.example']] }
}

describe('several requests in one file', () => {
  const file = JSON.stringify([exportOf('/one', { isSigned: false }), exportOf('/two'), exportOf('/three')])

  it('chooses the first that is signed, and says that there are more', async () => {
    const { code, stderr } = await runInside(ARGS, file)
    expect([code, stderr]).toEqual([
      0,
      'note: this is request 2 of 3 in the file: --entry N chooses another\n'
    ])
  })

  it('chooses the one that is asked for', async () => {
    expect(await runInside([...ARGS, '--entry', '3'], file)).toMatchObject({ code: 0, stderr: '' })
    const first = await runInside([...ARGS, '--entry', '1'], file)
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('signature-missing') })
  })

  it.each(['0', '4', '1.5', '-1', 'x', '99999999999'])('--entry %s is not in the file', async entry => {
    expect(await runInside([...ARGS, `--entry=${entry}`], file)).toEqual({
      code: 64,
      stdout: '',
      stderr: `signed-requests: --entry is ${entry}: the file has requests 1 to 3\n`
    })
  })

  it('says when none is signed', async () => {
    const unsigned = JSON.stringify([
      exportOf('/a', { isSigned: false }),
      exportOf('/b', { isSigned: false })
    ])
    const { code, stderr } = await runInside(ARGS, unsigned)
    expect([code, stderr]).toEqual([
      1,
      'note: this is request 1 of 2 in the file, none of which is signed: --entry N chooses another\n'
    ])
  })

  it('several heads of curl -v', async () => {
    const head = (target: string) => {
      const { headers } = service.sign({ target })
      return [
        `> GET ${target} HTTP/1.1`,
        ...headers.map(pair => `> ${pair.join(': ')}`),
        '>',
        '< HTTP/1.1 200 OK',
        ''
      ].join('\r\n')
    }
    const { code, stderr } = await runInside([...ARGS, '--entry', '2'], head('/a') + head('/b'))
    expect([code, stderr]).toEqual([0, ''])
  })
})

describe('what a JSON export does not say', () => {
  it('splits a URL where its path begins, and never rebuilds it', async () => {
    for (const [url, target] of [
      ['https://receiver.example/a%2Fb/../c?x=%20#part', '/a%2Fb/../c?x=%20'],
      ['https://receiver.example', '/'],
      ['https://receiver.example?x=1', '/?x=1'],
      ['HTTPS://user@receiver.example:443/a//b', '/a//b']
    ]) {
      const { method, headers } = service.sign({ target: target! })
      const file = JSON.stringify({ method, url, headers })
      expect([url, (await runInside(ARGS, file)).code]).toEqual([url, 0])
    }
  })

  it('takes Host from the URL when the headers do not have it', async () => {
    const { method, headers } = service.sign({ target: '/a' })
    const others = headers.filter(([name]) => name !== 'Host')
    const file = JSON.stringify({ method, url: 'https://receiver.example/a', headers: others })
    expect((await runInside(ARGS, file)).code).toBe(0)
    const plain = JSON.stringify({ method, url: 'http://receiver.example/a', headers: others })
    expect((await runInside(ARGS, plain)).stdout).toMatch(/^rejected: https\n/)
  })

  it('says that a parsed body has lost its bytes', async () => {
    const { method, headers } = service.sign({ target: '/a', body: '{ "id": 1 }' })
    const file = JSON.stringify({ method, url: '/a', headers, body: { id: 1 } })
    const { code, stdout } = await runInside(ARGS, file)
    expect(code).toBe(2)
    expect(stdout).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
    expect(stdout.replace(/\n {24}/g, ' ')).toContain(
      'not run: the capture has the body parsed, and its bytes as sent are lost'
    )
  })

  it.each(['{"id":1,"tags":["a","b"]}', '{"id": 1, "tags": ["a", "b"]}', '{"id":1,"tags":["a","b"]}\n'])(
    'finds the bytes of a parsed body when a serializer writes them: %j',
    async body => {
      const { method, headers } = service.sign({ target: '/a', body })
      const file = JSON.stringify({ method, url: '/a', headers, body: JSON.parse(body) })
      const { code, stderr } = await runInside(ARGS, file)
      expect([code, stderr]).toEqual([0, expect.stringContaining('these are the bytes that were signed')])
    }
  )

  it('restores the part of the path that a proxy stripped', async () => {
    const { method, headers } = service.sign({ target: '/hooks/a?b' })
    const file = JSON.stringify({ method, url: '/a?b', headers })
    expect((await runInside([...ARGS, '--prefix', '/hooks'], file)).code).toBe(0)
    expect((await runInside(ARGS, file)).stdout).toMatch(/^rejected: signature\n/)
    expect((await runInside([...ARGS, '--prefix', 'brand-'], file)).code).toBe(64)
  })
})
