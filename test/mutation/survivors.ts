/** Lists changes that no test can notice, because no observable result differs. */
const SAME: readonly { path: string; original: string; replacement: string; reason: string }[] = [
  {
    path: 'src/platforms/lambda/request.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a stage that is missing is compared with the start of a path, which is not this text'
  },
  {
    path: 'cli/captures/powershell.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'a token before all others that has neither kind nor text is not a part of a command'
  },
  {
    path: 'cli/explain/causes.ts',
    original: 'evidence.offsetSeconds < 0',
    replacement: 'evidence.offsetSeconds <= 0',
    reason: 'a time that is out of range differs from the clock'
  },
  {
    path: 'gateway/src/options/settings.ts',
    original: '/^https?:$/',
    replacement: '/https?:$/',
    reason: 'a URL of another protocol that matches has no origin, and is refused'
  },
  {
    path: 'gateway/src/options/settings.ts',
    original: '/^https?:$/',
    replacement: '/^https?:/',
    reason: 'a URL of another protocol that matches has no origin, and is refused'
  },
  {
    path: 'cli/captures/programs.ts',
    original: 'i < parts.length',
    replacement: 'i <= parts.length',
    reason: 'a connection without packets has no request'
  },
  {
    path: 'cli/flags.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'the flag of another program is in no help'
  },
  {
    path: 'cli/explain/explain-capture.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a Date that is missing counts as a text, and neither text is a time'
  },
  {
    path: 'cli/explain/explain-capture.ts',
    original: "'no key is looked up'",
    replacement: '""',
    reason: 'the failure of the key is replaced by the reason for which it was not checked'
  },
  {
    path: 'cli/explain/explain-capture.ts',
    original: "() => Promise.reject(new Error('no key is looked up'))",
    replacement: '() => undefined',
    reason: 'the failure of the key is replaced by the reason for which it was not checked'
  },
  {
    path: 'cli/explain/pasted-records.ts',
    original: '/"((?:[^"\\\\]|\\\\.)*)"?|;[^\\n]*|[()\\n]|[^"();\\n]+/gs',
    replacement: '/"((?:[^"\\\\]|\\\\.)*)"?|;[^\\n]*|[()\\n]|[^"();\\n]/gs',
    reason: 'the text between strings is skipped, in one piece or in several'
  },
  {
    path: 'cli/key/ask.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the first element is not used'
  },
  {
    path: 'cli/key/summary.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'the name is used only of a trace, and each trace has one'
  },
  {
    path: 'cli/key/summary.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'a text has no error and no records, so it does not count as a server'
  },
  {
    path: 'cli/send/summary.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a Date that is missing counts as a text, and neither text is a time'
  },
  {
    path: 'cli/key/trace.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'a text is not a record of DNS'
  },
  {
    path: 'cli/key/trace.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'no name is in this zone'
  },
  {
    path: 'cli/key/report.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'a text that is not a key record signs nothing, and hides nothing'
  },
  {
    path: 'gateway/src/options/parse.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'neither text is an address'
  },
  {
    path: 'gateway/src/options/settings.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the first element is not used'
  },
  {
    path: 'src/doh/message.ts',
    original: "'query'",
    replacement: '""',
    reason: 'dns-packet encodes each type but response as a query'
  },
  {
    path: 'src/doh/message.ts',
    original: 'reply.additionals?.some',
    replacement: 'reply.additionals.some',
    reason: 'a decoded message has each list'
  },
  {
    path: 'src/fixture/document.ts',
    original: 'true',
    replacement: 'false',
    reason: 'the hosts are written in any case'
  },
  {
    path: 'gateway/src/options/command-line.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a word that is missing is compared with the name of a command, and neither text is near it'
  },
  {
    path: 'src/explain/causes/key.ts',
    original: "'key-type-mismatch'",
    replacement: '""',
    reason: 'the code is only compared with itself'
  },
  {
    path: 'src/explain/causes/key.ts',
    original: "'key-too-short'",
    replacement: '""',
    reason: 'the code is only compared with itself'
  },
  {
    path: 'src/explain/causes/key.ts',
    original: "'key-too-long'",
    replacement: '""',
    reason: 'the code is only compared with itself'
  },
  {
    path: 'src/fixture/redact.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'no header has this name'
  },
  {
    path: 'src/fixture/validate.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a member that is missing counts as a text, and each text is allowed'
  },
  {
    path: 'src/recorder/files.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'neither text is a fixture'
  },
  {
    path: 'gateway/src/forward.ts',
    original: "'complete'",
    replacement: '""',
    reason: 'the text of an error that only ends an answer that is complete'
  },
  {
    path: 'src/testing/replay-store-contract.ts',
    original: 'after >= time - CLOCK_ROUNDING',
    replacement: 'after > time - CLOCK_ROUNDING',
    reason: 'a time with fractions of a millisecond is not a whole number of them'
  },
  {
    path: 'src/testing/replay-store-contract.ts',
    original: 'asked < time + LATEST_EXPIRY',
    replacement: 'asked <= time + LATEST_EXPIRY',
    reason: 'a time with fractions of a millisecond is not a whole number of them'
  },
  {
    path: 'src/platforms/node/drain.ts',
    original: 'res.req.socket?.destroy',
    replacement: 'res.req.socket.destroy',
    reason: 'a request of HTTP/1 on Node.js keeps its socket'
  },
  {
    path: 'src/replay/memory.ts',
    original: 'n < CHECKED_WHEN_FULL',
    replacement: 'n <= CHECKED_WHEN_FULL',
    reason: 'a store that is full checks one entry more'
  }
]

/** Returns why no test notices this change, or undefined. */
export const reasonOf = (path: string, original: string, replacement: string): string | undefined =>
  SAME.find(one => one.path === path && one.original === original && one.replacement === replacement)?.reason
