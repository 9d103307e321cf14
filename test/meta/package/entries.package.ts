import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, inject, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }

/**
 * Lists the run-time exports of each entry, and its types. A name that is added or removed changes the public
 * interface.
 */
const EXPORTS: Readonly<Record<string, readonly [values: string, types: string]>> = {
  '.': [
    `NotVerifiedError assertVerified buildSigningString createVerifier diagnose dnsTxtLookup draftCavage explain
    fetchHandler fromFetchRequest fromLambdaEvent fromNodeRequest httpStatus importPublicKey lambdaHandler logRecord
    mainFailure matchesDigest nodeHandler nodeMiddleware parseDigestHeader parseHttpDate parseKeyRecord parseSignatureHeader refusalResponse
    sendRefusal verifySignature`,
    `Accounts Algorithm Base64Form Bytes CheckName CheckOf CheckResult Checks Code CodesByCheck DiagnoseOptions
    DiagnosedCheck DiagnosedFailure Diagnosis Digest DnsTxtLookupOptions EvidenceByCode EvidenceOf ExpectedList Fact FactId Failed
    FailedWith Failure FailureOf FetchHandlerOptions ForwardedNote ForwardedNotes FromFetchOptions
    FromNodeOptions HeaderLine KeyEvidence KeyLimits KeyProblem KeyRecord KeyType LambdaEvent
    LambdaHandlerOptions LambdaNothing LambdaRecord LambdaResult LogRecord LookupTxt NodeHandlerOptions
    NodeMiddlewareOptions NodeRequest NodeResponse ProxyOptions PublicKey ReceivedBody ReceivedHeaders ReceivedRequest RecordKeyType
    Reencoding RefusalOptions Rejected ReplayStore RequestRecorder Result Scheme SchemeName SettingsLanguage
    SignatureParameters SigningStringParameters SometimesEvident Stages Unavailable UnavailableCode
    UnavailableFailure Verdict VerdictMessage Verified VerifiedRequest VerifierOptions Verify WithEvidence`
  ],
  './account': [
    'AccountError createAccountClient',
    `AccountClient AccountClientOptions AccountErrorCode Fetch Identity`
  ],
  './doh': ['dohTxtLookup', `DohTxtLookupOptions Fetch LookupTxt`],
  './recorder': [
    'createRecorder',
    `Accounts Algorithm Base64Form CheckName CheckOf Code CodesByCheck EvidenceByCode ExpectedList ForwardedNote ForwardedNotes KeyEvidence
    KeyProblem LookupTxt Recorder RecorderOptions Reencoding ReplayStore RequestRecorder Scheme SchemeName
    UnavailableCode VectorBody VectorDnsError VectorFile VectorJson VectorOptionName VectorOptions VectorProblems VectorVerdict
    VerifierOptions`
  ],
  './replay': [
    'memoryReplayStore postgresReplayStore postgresReplayTable redisReplayStore sqliteReplayStore',
    'IoredisClient NodeRedisClient PostgresClient RedisReplayStoreOptions ReplayStore SqliteDatabase'
  ],
  './rfc9421': [
    'buildSignatureBase parseContentDigest parseSignatureInput parseSignatures rfc9421',
    `Base64Form CheckName CheckOf Code CodesByCheck Component Digest EvidenceByCode ExpectedList Failed FailedWith ForwardedNote
    ForwardedNotes HeaderLine KeyEvidence KeyProblem ReceivedBody ReceivedHeaders ReceivedRequest Reencoding
    Result Scheme SchemeName SignatureInput SignedRequest SometimesEvident UnavailableCode WithEvidence`
  ],
  './testing': [
    'captureFixture createTestService fromFixture replayStoreContract serveDns',
    `Accounts Algorithm Base64Form Bytes CaptureOptions CheckName CheckOf CheckResult Checks Code CodesByCheck DnsServer
    EvidenceByCode ExpectedList Failure FailureOf FixtureTest ForwardedNote ForwardedNotes HeaderLine KeyEvidence KeyProblem LookupTxt
    MakeReplayStore ReceivedBody ReceivedHeaders ReceivedRequest Reencoding Rejected ReplayStore
    ReplayStoreCase ReplayStoreContractOptions RequestRecorder Scheme SchemeName ServeDnsOptions SignRequest SignedTestRequest
    SometimesEvident TestService TestServiceOptions TestServiceVerifierOptions Unavailable UnavailableCode
    UnavailableFailure VectorBody VectorDnsError VectorFile VectorJson VectorOptionName VectorOptions VectorProblems VectorVerdict Verdict
    Verified VerifierOptions WithEvidence`
  ]
}
const namesOf = (text: string): string[] => text.trim().split(/\s+/)

const cwd = inject('folder')
const installed = join(cwd, 'node_modules/signed-requests')
const command = join(cwd, 'node_modules/.bin/signed-requests')

/** Runs a command in the user's folder; returns its output, or its errors. */
function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Evaluates code in a module of either kind, through JSON. */
function evaluate(type: string, code: string, before = ''): unknown {
  const all = `${before}console.log(JSON.stringify(${code}))`
  const { status, stdout, stderr } = run('node', '--no-warnings', `--input-type=${type}`, '--eval', all)
  return status === 0 ? JSON.parse(stdout) : stderr
}

test('an error of the ESM package is an instance of the class of the CommonJS package, and the other way round', () => {
  const code = `(() => {
    const [esm, cjs] = [NotVerifiedError, createRequire(import.meta.url)('signed-requests').NotVerifiedError]
    const verdict = { status: 'rejected', failures: [{ code: 'date-missing' }], checks: {} }
    return [esm === cjs, new esm(verdict) instanceof cjs, new cjs(verdict) instanceof esm, new esm(verdict).name]
  })()`
  const imports = "import { createRequire } from 'node:module'; import { NotVerifiedError } from 'signed-requests';"
  expect(evaluate('module', code, imports)).toEqual([false, true, true, 'NotVerifiedError'])
})

test('every subpath of package.json is tested here', () => {
  expect(Object.keys(manifest.exports).sort()).toEqual([...Object.keys(EXPORTS), './package.json'].sort())
})

const WAYS = [
  { way: 'imported', type: 'module', load: (name: string) => `await import('${name}')` },
  { way: 'required', type: 'commonjs', load: (name: string) => `require('${name}')` }
]
const LOADED = Object.entries(EXPORTS).flatMap(([entry, [values]]) => WAYS.map(way => ({ ...way, entry, values })))

// Loggers print the name of an error's class, which a bundler may change.
test.each(LOADED)('$entry can be $way, with its functions and classes called as they are exported', each => {
  const { entry, values, type, load } = each
  const loaded = load(entry.replace('.', 'signed-requests'))
  const named = `Object.entries(${loaded}).map(([name, f]) => [name, f.call ? f.name : name]).sort()`
  expect(evaluate(type, named)).toEqual(namesOf(values).map(name => [name, name]))
})

test.each(Object.entries(EXPORTS))('%s declares its values and its types', (entry, [values, types]) => {
  const declarations = readFileSync(join(installed, posix.join('dist', entry, 'index.d.cts')), 'utf8')
  const lists = [...declarations.matchAll(/^export \{ (.*) \}/gm)].flatMap(([, list]) => list!.split(', '))
  const declared = lists.map(name => name.replace(/^.* /, ''))
  expect(declared.sort()).toEqual([...namesOf(values), ...namesOf(types)].sort())
})

test('package.json can be imported and required', () => {
  const imported = "(await import('signed-requests/package.json', { with: { type: 'json' } })).default.name"
  expect(evaluate('module', imported)).toBe('signed-requests')
  expect(evaluate('commonjs', "require('signed-requests/package.json').name")).toBe('signed-requests')
})

test('the command starts', () => {
  const help = expect.stringContaining('Usage: signed-requests')
  expect(run(command, '--help')).toMatchObject({ status: 0, stdout: help })
  expect(run(command, '--version')).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' })
  expect(run(command, 'nonsense')).toMatchObject({ status: 64, stdout: '' })
})

test('a code is explained without the page in the package', () => {
  const page = join(installed, 'docs/codes/key-not-found.md')
  const text = readFileSync(page, 'utf8')
  rmSync(page)
  try {
    const stdout = expect.stringContaining('\npage: docs/codes/key-not-found.md')
    expect(run(command, 'explain', 'key-not-found')).toMatchObject({ status: 0, stdout })
  } finally {
    writeFileSync(page, text)
  }
})

test('the help is the same where the files of the package have the line ends of Windows', () => {
  const page = join(installed, 'package.json')
  const text = readFileSync(page, 'utf8')
  const before = run(command, 'key', '--help')
  writeFileSync(page, text.replaceAll('\n', '\r\n'))
  try {
    expect(run(command, 'key', '--help')).toEqual(before)
  } finally {
    writeFileSync(page, text)
  }
})
