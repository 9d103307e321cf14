import {
  mkdirSync,
  mkdtempSync,
  promises,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createVerifier, type ReceivedRequest } from '../../../src/index.ts'
import { createRecorder, type RecorderOptions, type VectorFile } from '../../../src/recorder/index.ts'
import { createTestService, fromFixture } from '../../../src/testing/index.ts'
import { service, withHeaders } from '../../support/service.ts'

const SCANNER: ReceivedRequest = {
  method: 'POST',
  target: '/.env',
  headers: [
    ['Host', 'x'],
    ['Cookie', 'session=secret']
  ],
  body: null,
  https: false
}

const forged = (target: string): ReceivedRequest => ({ ...service.sign({ target: '/', body: '{}' }), target })

function start(options: RecorderOptions = {}) {
  const recorder = createRecorder(options)
  return { ...recorder, verify: createVerifier({ ...service.options, recorder }) }
}

const targetsOf = (fixtures: readonly VectorFile[]) => fixtures.map(({ vectors }) => vectors[0]!.request.target)

test('keeps nothing of a verified request', async () => {
  const { verify, fixtures } = start()
  expect((await verify(service.sign())).status).toBe('verified')
  expect(fixtures()).toEqual([])
})

test('keeps the first and the newest 49 by default, the newest first, each as a document of one vector', async () => {
  const { verify, fixtures, written } = start()
  for (let i = 1; i <= 60; i++) await verify(forged(`/${i}`))
  expect(targetsOf(fixtures())).toEqual([...Array.from({ length: 49 }, (_, i) => `/${60 - i}`), '/1'])
  expect(fixtures()[0]).toMatchObject({ vectors: [{ name: 'signature-mismatch-60' }] })
  await written()
})

test('scanners use the half of signed requests while it is empty, and push no signed one out of it', async () => {
  const { verify, fixtures } = start({ keep: 4 })
  for (let i = 0; i < 10; i++) await verify(SCANNER)
  expect(fixtures()).toHaveLength(4)
  for (const target of ['/1', '/2', '/3']) await verify(forged(target))
  expect(targetsOf(fixtures())).toEqual(['/3', '/1', '/.env', '/.env'])
  for (let i = 0; i < 10; i++) await verify(SCANNER)
  expect(targetsOf(fixtures())).toEqual(['/.env', '/3', '/1', '/.env'])
})

test('the first of each code is kept through a flood of one code, whose newest are kept, too', async () => {
  const { verify, fixtures } = start({ keep: 10 })
  await verify({ ...service.sign({ body: '{}' }), body: '[]' })
  for (let i = 1; i <= 100; i++) await verify(forged(`/${i}`))
  expect(targetsOf(fixtures())).toEqual(['/100', '/99', '/98', '/97', '/96', '/95', '/94', '/93', '/1', '/'])
})

describe('the accounts of a fixture', () => {
  const many = Array.from({ length: 70_000 }, (_, i) => `id-${i}`)
  const verdictAgain = async (document: VectorFile) => {
    const { request, options, expected } = fromFixture(JSON.parse(JSON.stringify(document)))
    return { accounts: options.accounts, expected, again: await createVerifier(options)(request) }
  }

  test.each<[string, string[], expected: string[]]>([
    ['the one that the request names', [...many, '1234'], ['1234']],
    ['another one where the request names none of them', many, ['unknown']],
    ['the only one', ['5678'], ['5678']]
  ])('are %s', async (_, accounts, expected) => {
    const recorder = createRecorder()
    await createVerifier({ ...service.options, accounts, recorder })(forged('/other'))
    const { accounts: listed, expected: recorded, again } = await verdictAgain(recorder.fixtures()[0]!)
    expect(listed).toEqual(expected)
    expect(again).toMatchObject(recorded)
  })

  test('never accept an account that was refused', async () => {
    const recorder = createRecorder()
    const request = service.sign({ headers: { 'X-Service-ID': 'account-unknown' } })
    await createVerifier({ ...service.options, accounts: many, recorder })(request)
    const { expected, again } = await verdictAgain(recorder.fixtures()[0]!)
    expect(expected).toMatchObject({ failures: [{ code: 'account-mismatch' }] })
    expect(again).toMatchObject(expected)
  })
})

describe('the hosts of a fixture', () => {
  const others = Array.from({ length: 10_000 }, (_, i) => `other-${i}.example`)
  const forHost = (host: string, more = {}) => service.sign({ headers: { Host: host, ...more } })

  test.each<[string, ReturnType<typeof service.sign>, expected: readonly string[]]>([
    ['the one that the request names', { ...forHost('Receiver.example:443'), target: '/other' }, ['receiver.example']],
    ['ten where the request names none of them', forHost('evil.example'), others.slice(0, 10)],
    [
      'those that differ by the port first',
      forHost('other-77.example:77'),
      ['other-77.example', ...others.slice(0, 9)]
    ],
    [
      'the one of X-Forwarded-Host beside them',
      forHost('evil.example', { 'X-Forwarded-Host': 'receiver.example' }),
      [...others.slice(0, 10), 'receiver.example']
    ]
  ])('are %s', async (_, request, expected) => {
    const recorder = createRecorder()
    await createVerifier({ ...service.options, hosts: [...others, 'receiver.example'], recorder })(request)
    const again = fromFixture(JSON.parse(JSON.stringify(recorder.fixtures()[0])))
    expect(again.options.hosts).toEqual(expected)
    expect(await createVerifier(again.options)(again.request)).toMatchObject(again.expected)
  })
})

test('a signed request stays where one is kept, whatever scanners send', async () => {
  const { verify, fixtures } = start({ keep: 1 })
  for (const request of [SCANNER, forged('/1'), SCANNER, SCANNER]) await verify(request)
  expect(targetsOf(fixtures())).toEqual(['/1'])
})

test('redacts by default: no value that no check reads, and no body of a signature that did not verify', async () => {
  const secret = { Authorization: 'Bearer secret', Cookie: 'a=secret' }
  const signed = withHeaders(service.sign({ body: '{"a":"secret"}' }), secret)
  for (const [redact, isShown] of [
    [undefined, false],
    [true, false],
    [false, true]
  ] as const) {
    const { verify, fixtures } = start(redact === undefined ? {} : { redact })
    for (const request of [{ ...signed, target: '/other' }, SCANNER, { ...signed, https: false }]) await verify(request)
    expect(JSON.stringify(fixtures()).includes('secret')).toBe(isShown)
  }
})

test('a head of a megabyte is cut to its beginning, and the fixture says so', async () => {
  const { verify, fixtures } = start({ keep: 2 })
  const huge = 'x'.repeat(1_000_000)
  await verify({ ...withHeaders(service.sign(), { Date: huge, 'X-A': huge }), target: `/${huge}` })
  await verify({ ...SCANNER, method: huge })
  for (const document of fixtures()) {
    expect(document.vectors[0]!.note).toContain('the head was too large')
    expect(JSON.stringify(document).length).toBeLessThan(70_000)
  }
  const begins = (text: string) => expect.stringMatching(new RegExp(`^${text}x{900,1000}$`))
  expect(fixtures().map(({ vectors }) => vectors[0]!.request)).toMatchObject([
    { method: begins(''), target: SCANNER.target, https: false },
    { method: 'GET', target: begins('/'), https: true }
  ])
})

test('several verifiers may share a recorder', async () => {
  const recorder = createRecorder()
  for (const accounts of ['1', '2']) await createVerifier({ ...service.options, accounts, recorder })(service.sign())
  expect(recorder.fixtures().map(({ vectors }) => vectors[0]!.options.accounts)).toEqual([['2'], ['1']])
})

test.each<[object, string]>([
  [{ keep: 0 }, 'keep is the number 0: pass a number of requests, at least 1'],
  [{ maxBodyBytes: -1 }, 'maxBodyBytes is the number -1: pass a number of bytes, at least 0'],
  [{ redact: 'no' }, 'redact is a string: write true or false'],
  [{ directory: '' }, 'directory is "" (is the environment variable it comes from set?): pass the path'],
  [{ directory: 5 }, 'directory is the number 5'],
  [{ max: 5 }, 'createRecorder() has no option "max"']
])('createRecorder throws a TypeError for %j', (options, message) => {
  expect(() => createRecorder(options)).toThrow(TypeError)
  expect(() => createRecorder(options)).toThrow(message)
})

test.each([{}, 'recorder', createRecorder])('createVerifier throws a TypeError for a recorder that is %s', recorder => {
  expect(() => createVerifier({ ...service.options, recorder: recorder as never })).toThrow(
    /^recorder is .*: pass the result of createRecorder\(\)$/
  )
})

describe('files', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'recorder-'))
  })
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true })
    vi.restoreAllMocks()
  })
  const names = () => readdirSync(directory).sort()

  test('files have the time, the main code, the signer and a number in their names, and mode 0600', async () => {
    const recorder = createRecorder({ directory })
    const now = Date.parse('2026-11-24T15:05:38.123Z')
    const verify = createVerifier({ ...service.options, recorder, now: () => now })
    await verify({ ...service.sign({ body: '{}', date: new Date(now) }), body: '[]' })
    await verify(SCANNER)
    await recorder.written()
    expect(names()).toEqual([
      '2026-11-24T15-05-38.123Z-digest-mismatch-key-1.json',
      '2026-11-24T15-05-38.123Z-signature-missing-unsigned-2.json'
    ])
    for (const name of names()) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
    const [document] = names().map(name => JSON.parse(readFileSync(join(directory, name), 'utf8')))
    expect(document).toEqual(JSON.parse(JSON.stringify(recorder.fixtures().at(-1))))
  })

  test('files are written behind the verdict', async () => {
    const { verify, written } = start({ directory })
    await verify(SCANNER)
    expect(names()).toEqual([])
    await written()
    expect(names()).toHaveLength(1)
  })

  test('files are made in a directory that is missing', async () => {
    const { verify, written } = start({ directory: join(directory, 'a', 'b') })
    await verify(SCANNER)
    await written()
    expect(readdirSync(join(directory, 'a', 'b'))).toHaveLength(1)
    expect(statSync(join(directory, 'a', 'b')).mode & 0o777).toBe(0o700)
  })

  test('files of all processes are at most as many as are kept, and no other is touched', async () => {
    const others = [
      'notes.json',
      '2026-01-01T00-00-00.000Z-my-notes-key-1.json',
      '2026-01-01T00-00-00.000Z-replayed-key-1.txt',
      '2026-01-01T00-00-00.000Z-replayed-key-1.json.bak',
      '2026-01-01T00-00-00.000Z-replayed-1.json',
      '2026-01-01T00-00-00.000Z-replayed-signed-1.json',
      '2026-01-01T00-00-00.000Z-replayed-key-0.json',
      '2026-01-01T00-00-00.000Z-replayed-key-9999999999999999.json',
      '2026-01-01T00-00-00.000Z-replayed-key-99999999999999999999999.json',
      'copy-of-2026-01-01T00-00-00.000Z-replayed-key-1.json'
    ]
    for (const name of others) writeFileSync(join(directory, name), 'mine')
    mkdirSync(join(directory, '2026-01-01T00-00-00.000Z-replayed-key-2.json'))
    symlinkSync('notes.json', join(directory, '2026-01-01T00-00-00.000Z-replayed-key-3.json'))
    const mine = names()
    for (let process = 0; process < 3; process++) {
      const { verify, written } = start({ directory, keep: 4 })
      for (let i = 1; i <= 3; i++) await verify(forged(`/${process}-${i}`))
      await written()
    }
    const written = names().filter(name => !mine.includes(name))
    const documents = written.map(name => JSON.parse(readFileSync(join(directory, name), 'utf8')))
    expect(targetsOf(documents).sort()).toEqual(['/0-1', '/2-1', '/2-2', '/2-3'])
    expect(names()).toEqual(expect.arrayContaining(mine))
    expect(readFileSync(join(directory, 'notes.json'), 'utf8')).toBe('mine')
  })

  test('no file is written through a link that has the name of the next one', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => told.mockRestore())
    const target = join(directory, 'notes.json')
    writeFileSync(target, 'mine')
    symlinkSync(target, join(directory, '2033-05-18T03-33-20.000Z-signature-missing-unsigned-1.json'))
    const recorder = createRecorder({ directory })
    await createVerifier({ ...service.options, recorder, now: () => 2e12 })(SCANNER)
    await recorder.written()
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(told).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('EEXIST'))
  })

  test('files of signed requests of an earlier process stay, whatever scanners send to the next one', async () => {
    const first = start({ directory, keep: 4 })
    for (const target of ['/1', '/2', '/3']) await first.verify(forged(target))
    await first.written()
    const second = start({ directory, keep: 4 })
    for (let i = 0; i < 10; i++) {
      await second.verify(SCANNER)
      await second.written()
    }
    const documents = names().map(name => JSON.parse(readFileSync(join(directory, name), 'utf8')))
    expect(targetsOf(documents).sort()).toEqual(['/.env', '/.env', '/1', '/3'])
  })

  test('written() resolves although the newest fixture was given up for a signed one', async () => {
    const { verify, written } = start({ directory, keep: 1 })
    for (const request of [SCANNER, forged('/1'), SCANNER]) await verify(request)
    await written()
    expect(names()).toEqual([expect.stringMatching(/-signature-mismatch-key-\d\.json$/)])
  })

  test('files of a clock that went back are the newest all the same, beside the first', async () => {
    for (const now of [2e12, 1e12, 1.5e12]) {
      const recorder = createRecorder({ directory, keep: 2 })
      await createVerifier({ ...service.options, recorder, now: () => now })(SCANNER)
      await recorder.written()
    }
    expect(names()).toEqual([
      '2017-07-14T02-40-00.000Z-signature-missing-unsigned-3.json',
      '2033-05-18T03-33-20.000Z-signature-missing-unsigned-1.json'
    ])
  })

  test('of files with one number, which processes have chosen at once, the first by time and the newest stay', async () => {
    const written = [3, 1, 5, 2, 4].map(month => `2026-0${month}-01T00-00-00.000Z-signature-missing-unsigned-7.json`)
    for (const name of written) writeFileSync(join(directory, name), '{}')
    // Node.js sorts what it lists, other runtimes do not.
    const list = promises.readdir as (...args: unknown[]) => Promise<never[]>
    const listed = vi.spyOn(promises, 'readdir').mockImplementation(async (...args) => (await list(...args)).reverse())
    onTestFinished(() => listed.mockRestore())
    const recorder = createRecorder({ directory, keep: 2 })
    await createVerifier({ ...service.options, recorder })(SCANNER)
    await recorder.written()
    expect(names()).toEqual([
      '2026-01-01T00-00-00.000Z-signature-missing-unsigned-7.json',
      expect.stringMatching(/-signature-missing-unsigned-8\.json$/)
    ])
  })

  test.each([
    [1e15, '20'],
    [253_402_300_800_000, '20'],
    [253_402_300_799_999, '9999-12-31T23-59-59.999Z'],
    [0, '1970-01-01T00-00-00.000Z'],
    [-1, '20']
  ])(
    'files of a clock that says %i have the time of the machine if no calendar has it, and are bounded',
    async (now, start) => {
      const recorder = createRecorder({ directory, keep: 1 })
      const verify = createVerifier({ ...service.options, recorder, now: () => now })
      for (let i = 0; i < 2; i++) {
        await verify(SCANNER)
        await recorder.written()
      }
      expect(names()).toEqual([expect.stringMatching(new RegExp(`^${start}.*-signature-missing-unsigned-2\\.json$`))])
    }
  )

  test('a file that somebody has removed already is no trouble: the console says nothing', async () => {
    const told = vi.spyOn(console, 'error')
    const remove = promises.unlink
    const removed = vi.spyOn(promises, 'unlink').mockImplementation(async path => {
      await remove(path)
      return remove(path)
    })
    onTestFinished(() => {
      told.mockRestore()
      removed.mockRestore()
    })
    const { verify, written } = start({ directory, keep: 1 })
    for (let i = 0; i < 2; i++) {
      await verify(SCANNER)
      await written()
    }
    expect(removed).toHaveBeenCalledOnce()
    expect(told).not.toHaveBeenCalled()
    expect(names()).toEqual([expect.stringMatching(/-2\.json$/)])
  })

  test('no file of an earlier process is opened, whatever it holds', async () => {
    for (const text of ['', '{', '{"vectors":[null]}'])
      writeFileSync(join(directory, `2026-01-01T00-00-00.000Z-replayed-key-${names().length + 1}.json`), text)
    const opened = vi.spyOn(promises, 'open')
    const { verify, written } = start({ directory, keep: 4 })
    for (let i = 0; i < 3; i++) await verify(SCANNER)
    await written()
    expect(opened.mock.calls.map(([, flags]) => flags)).toEqual(['wx', 'wx', 'wx'])
    expect(names().filter(name => name.includes('-replayed-key-'))).toHaveLength(2)
  })

  describe('the name of a file says who signed the request', () => {
    const forger = createTestService()
    const forgery = forger.sign({ body: '{}' })
    test.each<[string, ReceivedRequest, string]>([
      ['the published key, over this request', { ...service.sign({ body: '{}' }), body: '[]' }, 'digest-mismatch-key'],
      ['the published key, over another text', forged('/other'), 'signature-mismatch-key'],
      ['another key under the name of the published one', forgery, 'signature-mismatch-claimed'],
      ['a key that DNS was not asked for', { ...service.sign(), https: false }, 'not-https-claimed'],
      ['nobody', SCANNER, 'signature-missing-unsigned']
    ])('%s', async (_, request, expected) => {
      const { verify, written } = start({ directory })
      await verify(request)
      await written()
      expect(names()).toEqual([expect.stringMatching(new RegExp(`Z-${expected}-1\\.json$`))])
    })
  })

  test.each([999_999_999, 999_999_999_998, 999_999_999_999_999])(
    'a file with the number %i does not end the bound: at most as many as are kept',
    async number => {
      writeFileSync(join(directory, `2026-01-01T00-00-00.000Z-replayed-key-${number}.json`), '{}')
      let now = Date.parse('2026-01-02T00:00:00.000Z')
      const recorder = createRecorder({ directory, keep: 3 })
      const verify = createVerifier({ ...service.options, recorder, now: () => now })
      for (let i = 0; i < 10; i++) {
        now += 1
        await verify(SCANNER)
        await recorder.written()
      }
      expect(names()).toHaveLength(3)
      expect(names().at(-1)).toMatch(/^2026-01-02T00-00-00\.010Z-/)
    }
  )

  test('a signed request of a recorder with 70,000 accounts stays among scanners, in this process and the next', async () => {
    const accounts = ['1234', ...Array.from({ length: 70_000 }, (_, i) => `id-${i}`)]
    const first = createRecorder({ directory, keep: 4 })
    const verify = createVerifier({ ...service.options, accounts, recorder: first })
    for (const target of ['/1', '/2']) await verify(forged(target))
    await first.written()
    const next = start({ directory, keep: 4 })
    for (let i = 0; i < 10; i++) await next.verify(SCANNER)
    await next.written()
    expect(names().filter(name => name.includes('-key-'))).toHaveLength(2)
    for (const name of names()) expect(statSync(join(directory, name)).size).toBeLessThan(10_000)
  })

  test.each<[string, (path: string) => void]>([
    ['a directory that is gone', path => rmSync(path, { recursive: true })],
    [
      'a file in place of the directory',
      path => {
        rmSync(path, { recursive: true })
        writeFileSync(path, '')
      }
    ]
  ])('%s is said once on the console, and changes no verdict and nothing in memory', async (_, breakIt) => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { verify, fixtures, written } = start({ directory })
    breakIt(directory)
    for (let i = 0; i < 3; i++) expect((await verify(forged(`/${i}`))).status).toBe('rejected')
    await written()
    expect(said.mock.calls.flat()).toEqual([
      expect.stringMatching(
        /^signed-requests: the recorder cannot .*\(ENO\w+\); it keeps .* in memory\. This is logged once$/
      )
    ])
    expect(said.mock.calls.flat()).toEqual([expect.stringContaining(JSON.stringify(directory))])
    expect(targetsOf(fixtures())).toEqual(['/2', '/1', '/0'])
  })

  test('a file that the disk cannot hold is closed and removed, and the console says so', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { open } = promises
    const handles: promises.FileHandle[] = []
    vi.spyOn(promises, 'open').mockImplementation(async (...args) => {
      const handle = await open(...args)
      vi.spyOn(handle, 'writeFile').mockRejectedValue(Object.assign(new Error('disk'), { code: 'ENOSPC' }))
      handles.push(handle)
      return handle
    })
    const { verify, written } = start({ directory })
    await verify(SCANNER)
    await written()
    expect([names(), handles.map(({ fd }) => fd)]).toEqual([[], [-1]])
    expect(said.mock.calls.flat()).toEqual([expect.stringContaining('(ENOSPC)')])
  })

  test('a directory that is a file is said at the start', () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    const file = join(directory, 'file')
    writeFileSync(file, '')
    createRecorder({ directory: file })
    expect(said.mock.calls.flat()).toEqual([
      expect.stringContaining(`cannot write to its directory ${JSON.stringify(file)} (EEXIST)`)
    ])
  })

  test('a directory that cannot be made is said once, too', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { verify, written } = start({ directory: '/proc/nowhere/refused' })
    expect((await verify(SCANNER)).status).toBe('rejected')
    await written()
    expect(said).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['no node:fs', { getBuiltinModule: () => undefined }],
    ['no getBuiltinModule', {}],
    ['no process', undefined]
  ])('a runtime that has %s refuses a directory, and needs none without', (_, process) => {
    vi.stubGlobal('process', process)
    try {
      expect(() => createRecorder({ directory })).toThrow(
        'directory is a string: leave it out: this runtime keeps no files between requests'
      )
      expect(createRecorder().fixtures()).toEqual([])
    } finally {
      // At once: a message of the test runner that arrives meanwhile needs the real one.
      vi.unstubAllGlobals()
    }
  })

  test('Cloudflare Workers refuse a directory, though they have a file system for each request', () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => createRecorder({ directory })).toThrow('this runtime keeps no files')
    expect(createRecorder().fixtures()).toEqual([])
  })

  test('written() waits for no request that is refused later', async () => {
    const { verify, written } = start({ directory })
    await verify(SCANNER)
    const before = written()
    const flood = (async () => {
      for (let i = 0; i < 200; i++) await verify(SCANNER)
    })()
    await before
    expect(names().length).toBeGreaterThan(0)
    await flood
    await written()
    expect(names()).toHaveLength(50)
  })

  test('each file of a recorder is a test as it is', async () => {
    const { verify, written } = start({ directory })
    await verify(forged('/other'))
    await written()
    const { request, options, expected } = fromFixture(JSON.parse(readFileSync(join(directory, names()[0]!), 'utf8')))
    expect(await createVerifier(options)(request)).toMatchObject(expected)
  })
})
