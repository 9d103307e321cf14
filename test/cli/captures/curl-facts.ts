/**
 * Lists the requests that curl sends for commands: method and target, the headers in alphabetical order, and the body
 * in Latin-1. Transfer headers are left out, and so are User-Agent and Accept where no option sets them, and the length
 * of a body from a file. `npm run test:servers` compares each with the request that curl sends.
 */
export const SENT: readonly (readonly [command: string, head: string, body?: string])[] = [
  [
    "curl http://a.example/ -d ''",
    'POST / | Content-Length: 0 | Content-Type: application/x-www-form-urlencoded | Host: a.example'
  ],
  ["curl -G 'http://a.example/p?x=1' -d a=b", 'GET /p?x=1&a=b | Host: a.example'],
  ["curl -G 'http://a.example/p?' -d a=b", 'GET /p?a=b | Host: a.example'],
  ["curl -G 'http://a.example' -d a=b", 'GET /?a=b | Host: a.example'],
  ["curl -G 'http://a.example/p#frag' -d a=b", 'GET /p?a=b | Host: a.example'],
  ["curl -G 'http://a.example/p' -d ''", 'GET /p | Host: a.example'],
  ["curl -G 'http://a.example/p'", 'GET /p | Host: a.example'],
  ["curl -G -I 'http://a.example/p' -d a=b", 'HEAD /p?a=b | Host: a.example'],
  ["curl -I -X GET 'http://a.example/p'", 'GET /p | Host: a.example'],
  ["curl -X PUT -G 'http://a.example/p' -d a=b", 'PUT /p?a=b | Host: a.example'],
  ["curl --url-query 'a=b c' http://a.example/p", 'GET /p?a=b+c | Host: a.example'],
  ["curl --url-query 'a=b c' 'http://a.example/p?x=1'", 'GET /p?x=1&a=b+c | Host: a.example'],
  [
    "curl --url-query 'a=1' --url-query b=2 -d z=1 http://a.example/p",
    'POST /p?a=1&b=2 | Content-Length: 3 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'z=1'
  ],
  [
    "curl --data-urlencode 'a=b c&d' --data-urlencode '=x y' --data-urlencode 'plain ü~-._!' http://a.example/p",
    'POST /p | Content-Length: 33 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a=b+c%26d&x+y&plain+%C3%BC~-._%21'
  ],
  [
    "curl --data-urlencode 'a@body.txt' http://a.example/p",
    'POST /p | Content-Type: application/x-www-form-urlencoded | Host: a.example'
  ],
  [
    "curl --data-urlencode 'a=b@c' http://a.example/p",
    'POST /p | Content-Length: 7 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a=b%40c'
  ],
  [
    "curl --data-urlencode 'a@b=c' http://a.example/p",
    'POST /p | Content-Length: 5 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a@b=c'
  ],
  [
    "curl --data-urlencode '' http://a.example/p",
    'POST /p | Content-Length: 0 | Content-Type: application/x-www-form-urlencoded | Host: a.example'
  ],
  ["curl -G --data-urlencode 'a=b c' http://a.example/p", 'GET /p?a=b+c | Host: a.example'],
  [
    'curl --json \'{"a":1\' --json \',"b":2}\' http://a.example/p',
    'POST /p | Accept: application/json | Content-Length: 13 | Content-Type: application/json | Host: a.example',
    '{"a":1,"b":2}'
  ],
  [
    "curl --json '{}' -H 'Content-Type: x/y' -H 'accept: q' http://a.example/p",
    'POST /p | accept: q | Content-Length: 2 | Content-Type: x/y | Host: a.example',
    '{}'
  ],
  [
    "curl -d a=1 --json '{}' http://a.example/p",
    'POST /p | Accept: application/json | Content-Length: 5 | Content-Type: application/json | Host: a.example',
    'a=1{}'
  ],
  [
    "curl --json '{}' -d a=1 http://a.example/p",
    'POST /p | Accept: application/json | Content-Length: 6 | Content-Type: application/json | Host: a.example',
    '{}&a=1'
  ],
  [
    'curl -d @body.txt http://a.example/p',
    'POST /p | Content-Type: application/x-www-form-urlencoded | Host: a.example'
  ],
  [
    'curl -d @body.txt -d c http://a.example/p',
    'POST /p | Content-Type: application/x-www-form-urlencoded | Host: a.example'
  ],
  ['curl -T body.txt http://a.example/dir/', 'PUT /dir/body.txt | Host: a.example'],
  ['curl -T body.txt http://a.example/dir', 'PUT /dir | Host: a.example'],
  ['curl -T body.txt http://a.example', 'PUT /body.txt | Host: a.example'],
  ["curl -T body.txt 'http://a.example/dir/?q=1'", 'PUT /dir/body.txt?q=1 | Host: a.example'],
  ['curl -T - http://a.example/dir/', 'PUT /dir/ | Host: a.example | Transfer-Encoding: chunked'],
  ['curl -T . http://a.example/dir/', 'PUT /dir/ | Host: a.example | Transfer-Encoding: chunked'],
  ['curl -T body.txt -X POST http://a.example/dir/x', 'POST /dir/x | Host: a.example'],
  ['curl -u user:pass http://a.example/', 'GET / | Authorization: Basic dXNlcjpwYXNz | Host: a.example'],
  ['curl -u user:pa:ss http://a.example/', 'GET / | Authorization: Basic dXNlcjpwYTpzcw== | Host: a.example'],
  ["curl -u 'us er:pä' http://a.example/", 'GET / | Authorization: Basic dXMgZXI6cMOk | Host: a.example'],
  ['curl -u : http://a.example/', 'GET / | Authorization: Basic Og== | Host: a.example'],
  ["curl -u user:pass -H 'Authorization: x' http://a.example/", 'GET / | Authorization: x | Host: a.example'],
  ["curl -u user:pass -H 'Authorization:' http://a.example/", 'GET / | Host: a.example'],
  ['curl http://u%20x:p%40@a.example/', 'GET / | Authorization: Basic dSB4OnBA | Host: a.example'],
  ['curl http://u@a.example/', 'GET / | Authorization: Basic dTo= | Host: a.example'],
  ['curl -u a:b http://u:p@a.example/', 'GET / | Authorization: Basic YTpi | Host: a.example'],
  ['curl --oauth2-bearer tok http://a.example/', 'GET / | Authorization: Bearer tok | Host: a.example'],
  ['curl --oauth2-bearer tok -u a:b http://a.example/', 'GET / | Authorization: Bearer tok | Host: a.example'],
  ['curl --oauth2-bearer tok http://u:p@a.example/', 'GET / | Authorization: Bearer tok | Host: a.example'],
  ["curl --oauth2-bearer tok -H 'Authorization: x' http://a.example/", 'GET / | Authorization: x | Host: a.example'],
  ["curl -e 'http://r/' http://a.example/", 'GET / | Host: a.example | Referer: http://r/'],
  ["curl -e 'http://r/;auto' http://a.example/", 'GET / | Host: a.example | Referer: http://r/'],
  ["curl -e ';auto' http://a.example/", 'GET / | Host: a.example'],
  ["curl -e 'http://r/' -H 'Referer: z' http://a.example/", 'GET / | Host: a.example | Referer: z'],
  ["curl -e '' http://a.example/", 'GET / | Host: a.example'],
  ['curl -A agent http://a.example/', 'GET / | Host: a.example | User-Agent: agent'],
  ["curl -A '' http://a.example/", 'GET / | Host: a.example'],
  ["curl -A agent -H 'User-Agent: z' http://a.example/", 'GET / | Host: a.example | User-Agent: z'],
  ["curl -A agent -H 'User-Agent:' http://a.example/", 'GET / | Host: a.example'],
  ["curl -b 'a=b' -b 'c=d' http://a.example/", 'GET / | Cookie: a=b;c=d | Host: a.example'],
  ["curl -b 'a=b' -H 'Cookie: x=y' http://a.example/", 'GET / | Cookie: x=y | Host: a.example'],
  ["curl -b '' http://a.example/", 'GET / | Host: a.example'],
  ['curl -r 0-5 http://a.example/', 'GET / | Host: a.example | Range: bytes=0-5'],
  ['curl -r 0-5 -I http://a.example/', 'HEAD / | Host: a.example | Range: bytes=0-5'],
  ['curl -r 0-5 -X PUT http://a.example/', 'PUT / | Host: a.example | Range: bytes=0-5'],
  ["curl -r 0-5 -H 'Range: q' http://a.example/", 'GET / | Host: a.example | Range: q'],
  ['curl http://a.example/a/../b/./c', 'GET /b/c | Host: a.example'],
  ['curl --path-as-is http://a.example/a/../b/./c', 'GET /a/../b/./c | Host: a.example'],
  ["curl 'http://a.example/a?x=/../y'", 'GET /a?x=/../y | Host: a.example'],
  ["curl 'http://a.example/a/..?x'", 'GET /?x | Host: a.example'],
  ["curl 'http://a.example/../../x'", 'GET /x | Host: a.example'],
  ["curl 'http://a.example?q=1'", 'GET /?q=1 | Host: a.example'],
  ["curl 'http://a.example/a?'", 'GET /a? | Host: a.example'],
  ["curl 'http://a.example/?'", 'GET /? | Host: a.example'],
  ["curl 'http://a.example#f'", 'GET / | Host: a.example'],
  ["curl 'http://A.Example/'", 'GET / | Host: A.Example'],
  ["curl 'http://a.example:80/'", 'GET / | Host: a.example'],
  ["curl 'http://a.example:8080/'", 'GET / | Host: a.example:8080'],
  ["curl 'http://a.example:/'", 'GET / | Host: a.example'],
  ["curl 'http://[::1]/x'", 'GET /x | Host: [::1]'],
  ["curl -g 'http://[::1]/x[1]'", 'GET /x[1] | Host: [::1]'],
  ["curl 'http://a.example/?a[]=1'", 'GET /?a[]=1 | Host: a.example'],
  ["curl 'http://a.example/?a\\[\\]=1\\{\\}'", 'GET /?a[]=1{} | Host: a.example'],
  ["curl -g 'http://a.example/?a\\[\\]=1'", 'GET /?a\\[\\]=1 | Host: a.example'],
  ["curl 'http://a.example/a\\b'", 'GET /a\\b | Host: a.example'],
  ['curl a.example/hook', 'GET /hook | Host: a.example'],
  ['curl HTTP://a.example/hook', 'GET /hook | Host: a.example'],
  ['curl http:/a.example/hook', 'GET /hook | Host: a.example'],
  ['curl a.example', 'GET / | Host: a.example'],
  ["curl -H 'X;' http://a.example/", 'GET / | Host: a.example | X: '],
  ["curl -H 'Host: z' -H 'Host: y' http://a.example/", 'GET / | Host: z'],
  ["curl -H 'Host;' http://a.example/", 'GET / | Host: '],
  ["curl -H 'Host: ' http://a.example/", 'GET / | Host: '],
  ["curl -H 'X: 1' -H 'X: 2' http://a.example/", 'GET / | Host: a.example | X: 1 | X: 2'],
  ["curl -d x -H 'Content-Type:' http://a.example/", 'POST / | Content-Length: 1 | Host: a.example', 'x'],
  [
    "curl -d x -H 'Content-Type;' http://a.example/",
    'POST / | Content-Length: 1 | Content-Type:  | Host: a.example',
    'x'
  ],
  [
    "curl -d x -H 'Content-Type: a' -H 'content-type: b' http://a.example/",
    'POST / | Content-Length: 1 | Content-Type: a | content-type: b | Host: a.example',
    'x'
  ],
  [
    "curl -d x -H 'Content-Length: 1' http://a.example/",
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'x'
  ],
  [
    "curl -d x -H 'Transfer-Encoding: chunked' http://a.example/",
    'POST / | Content-Type: application/x-www-form-urlencoded | Host: a.example | Transfer-Encoding: chunked',
    'x'
  ],
  [
    "curl -d x -H 'Transfer-Encoding: gzip' http://a.example/",
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example | Transfer-Encoding: gzip',
    'x'
  ],
  [
    "curl -d x -H 'Transfer-Encoding: chunked' -H 'Content-Length: 1' http://a.example/",
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example | Transfer-Encoding: chunked',
    'x'
  ],
  ["curl -H 'Content-Length: 0' -X POST http://a.example/", 'POST / | Content-Length: 0 | Host: a.example'],
  ['curl -X POST http://a.example/', 'POST / | Host: a.example'],
  [
    'curl -sXPUT http://a.example/ -d x',
    'PUT / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'x'
  ],
  [
    'curl -sSLd x http://a.example/',
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'x'
  ],
  [
    'curl -sXPUT -dx -Hq:1 http://a.example/',
    'PUT / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example | q: 1',
    'x'
  ],
  ['curl --head http://a.example/', 'HEAD / | Host: a.example'],
  [
    'curl --data-ascii x --request PATCH http://a.example/',
    'PATCH / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'x'
  ],
  ['curl -- http://a.example/', 'GET / | Host: a.example'],
  ["curl --request-target '*' -X OPTIONS http://a.example/1", 'OPTIONS * | Host: a.example'],
  [
    "curl -d $'a\\xe9\\u00e9\\101\\e\\cA\\z' http://a.example/",
    'POST / | Content-Length: 9 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a\u00e9\u00c3\u00a9A\u001b\u0001\\z'
  ],
  [
    'curl -d a"b"\'c\'\\d http://a.example/',
    'POST / | Content-Length: 4 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'abcd'
  ],
  [
    'curl -d {\\"a\\":1} http://a.example/',
    'POST / | Content-Length: 7 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    '{"a":1}'
  ],
  ['curl --compressed http://a.example/', 'GET / | Host: a.example'],
  [
    "curl -d 'a\nb' http://a.example/",
    'POST / | Content-Length: 3 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a\nb'
  ],
  [
    'curl --data-raw @x http://a.example/',
    'POST / | Content-Length: 2 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    '@x'
  ],
  [
    "curl --data-binary $'a\\r\\n' http://a.example/",
    'POST / | Content-Length: 3 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a\r\n'
  ],
  ['curl -u user: http://a.example/', 'GET / | Authorization: Basic dXNlcjo= | Host: a.example'],
  ["curl -s http://a.example/ -o /dev/null -w '%{http_code}'", 'GET / | Host: a.example'],
  ['curl -X DELETE http://a.example/x', 'DELETE /x | Host: a.example'],
  ["curl http://a.example/ -H 'Accept:' -H 'User-Agent:'", 'GET / | Host: a.example'],
  ["curl -b 'a=b; c=d' http://a.example/", 'GET / | Cookie: a=b; c=d | Host: a.example'],
  ['curl --http2 http://a.example/', 'GET / | Host: a.example'],
  ['curl -0 http://a.example/', 'GET / | Host: a.example'],
  [
    'curl --http1.0 -d a http://a.example/',
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a'
  ],
  ['curl --user a:b --basic http://a.example/', 'GET / | Authorization: Basic YTpi | Host: a.example'],
  [
    "curl -H 'Expect:' -d a http://a.example/",
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a'
  ],
  ['curl --url http://a.example/1', 'GET /1 | Host: a.example'],
  ['curl http://ftp.example/x', 'GET /x | Host: ftp.example'],
  ['curl http://a.example/p > out.txt 2>&1', 'GET /p | Host: a.example'],
  ['curl http://a.example/p >/dev/null -X DELETE', 'DELETE /p | Host: a.example'],
  ['curl http://a.example/p # a comment', 'GET /p | Host: a.example'],
  ['curl http://a.example/p#a -X PUT', 'PUT /p | Host: a.example'],
  ['X=1 curl http://a.example/p', 'GET /p | Host: a.example'],
  ['# comment\n\n  # and more\ncurl http://a.example/p', 'GET /p | Host: a.example'],
  ["curl http://a.example/p \\\n  -X PUT \\\n  -H 'A: b'", 'PUT /p | A: b | Host: a.example'],
  [
    'curl http://a.example/p -d "a\\\nb"',
    'POST /p | Content-Length: 2 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'ab'
  ],
  [
    'curl http://a.example/p -d "a \\" \\$ \\` \\\\ \\n \' b"',
    'POST /p | Content-Length: 16 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a " $ ` \\ \\n \' b'
  ],
  [
    'curl http://a.example/p -d "a$ b$"',
    'POST /p | Content-Length: 5 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a$ b$'
  ],
  [
    'curl http://a.example/p -d $"a"',
    'POST /p | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a'
  ],
  [
    "curl http://a.example/p -d 'a'$'\\n''b'",
    'POST /p | Content-Length: 3 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a\nb'
  ],
  [
    "curl http://a.example/p -d a\\ b\\'c",
    'POST /p | Content-Length: 5 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    "a b'c"
  ],
  ['curl http://a.example/a%2Fb/%7e?x=%20', 'GET /a%2Fb/%7e?x=%20 | Host: a.example'],
  ["curl 'http://a.example//a//b/'", 'GET //a//b/ | Host: a.example'],
  ["curl 'http://a.example/a/../../b/../'", 'GET / | Host: a.example'],
  ["curl 'http://a.example/a/.'", 'GET /a/ | Host: a.example'],
  ["curl 'http://a.example/a/...'", 'GET /a/... | Host: a.example'],
  ["curl --path-as-is 'http://a.example/../x'", 'GET /../x | Host: a.example'],
  [
    "curl -d a -d b --data-raw c --data-binary d --data-urlencode 'e f' http://a.example/",
    'POST / | Content-Length: 11 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a&b&c&d&e+f'
  ],
  [
    "curl -d '' -d '' http://a.example/",
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    '&'
  ],
  [
    "curl --json '' http://a.example/",
    'POST / | Accept: application/json | Content-Length: 0 | Content-Type: application/json | Host: a.example'
  ],
  [
    "curl -G --json '{}' http://a.example/",
    'GET /?{} | Accept: application/json | Content-Type: application/json | Host: a.example'
  ],
  ['curl -I --oauth2-bearer t http://a.example/', 'HEAD / | Authorization: Bearer t | Host: a.example'],
  ["curl -u a:b --oauth2-bearer t -H 'Authorization:' http://a.example/", 'GET / | Host: a.example'],
  [
    "curl -A '' -d a http://a.example/",
    'POST / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a'
  ],
  [
    "curl -H 'content-TYPE: application/json' -d '{\"a\":1}' http://a.example/hook",
    'POST /hook | Content-Length: 7 | content-TYPE: application/json | Host: a.example',
    '{"a":1}'
  ],
  [
    "curl -H 'Host: receiver.example' -d '{\"a\":1}' http://a.example:8080/hook",
    'POST /hook | Content-Length: 7 | Content-Type: application/x-www-form-urlencoded | Host: receiver.example',
    '{"a":1}'
  ],
  ["curl -T body.txt http://a.example/x -H 'Content-Length: 5'", 'PUT /x | Content-Length: 5 | Host: a.example'],
  [
    "curl -T body.txt -H 'Transfer-Encoding: chunked' http://a.example/x",
    'PUT /x | Host: a.example | Transfer-Encoding: chunked'
  ],
  [
    "curl -T - -H 'Content-Length: 0' http://a.example/x",
    'PUT /x | Content-Length: 0 | Host: a.example | Transfer-Encoding: chunked'
  ],
  [
    "curl --url-query a --url-query '=b c' --url-query 'd=e&f' --url-query '+g=h' http://a.example/x",
    'GET /x?a&b+c&d=e%26f&g=h | Host: a.example'
  ],
  ["curl --url-query 'a=1' 'http://a.example/x?'", 'GET /x?a=1 | Host: a.example'],
  ["curl --url-query 'a=1' 'http://a.example/x?b&'", 'GET /x?b&a=1 | Host: a.example'],
  ["curl --url-query '' 'http://a.example/x'", 'GET /x | Host: a.example'],
  ['curl -r 0- http://a.example/', 'GET / | Host: a.example | Range: bytes=0-'],
  ['curl -r -5 http://a.example/', 'GET / | Host: a.example | Range: bytes=-5'],
  ['curl -r 1-2,4-5 http://a.example/', 'GET / | Host: a.example | Range: bytes=1-2,4-5'],
  ["curl -e 'a;auto;auto' http://a.example/", 'GET / | Host: a.example | Referer: a'],
  ["curl -b 'a=b' -b '' http://a.example/", 'GET / | Cookie: a=b | Host: a.example'],
  ["curl -b 'a=b;' -b ' c=d' http://a.example/", 'GET / | Cookie: a=b;; c=d | Host: a.example'],
  ["curl -H 'X:   a   ' http://a.example/", 'GET / | Host: a.example | X: a'],
  [
    "curl -sSkL --compressed -m 3 --retry 0 -o /dev/null -w '%{http_code}' -X PATCH --data-raw x http://a.example/",
    'PATCH / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'x'
  ],
  ['curl -kvsXPOST http://a.example/', 'POST / | Host: a.example'],
  ['curl -Id x -G http://a.example/', 'HEAD /?x | Host: a.example'],
  [
    'curl -X PUT --data-binary @body.txt http://a.example/',
    'PUT / | Content-Type: application/x-www-form-urlencoded | Host: a.example'
  ],
  [
    "curl -d 'ü' http://a.example/",
    'POST / | Content-Length: 2 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    '\u00c3\u00bc'
  ],
  [
    "curl -d $'\\u00fc\\U0001F600\\x41\\102\\'\\\"\\\\\\?\\t' http://a.example/",
    'POST / | Content-Length: 13 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    '\u00c3\u00bc\u00f0\u009f\u0098\u0080AB\'"\\?\t'
  ],
  ['curl --no-keepalive --no-buffer --no-progress-meter http://a.example/', 'GET / | Host: a.example'],
  ['curl http://a.example/a%2e/%2eb/%2e%2e%2e', 'GET /a%2e/%2eb/%2e%2e%2e | Host: a.example'],
  ["curl -H 'A: b' -H 'Host: z' http://a.example/", 'GET / | A: b | Host: z'],
  ["curl -H 'Xhost: ' -H 'X: a;' -H 'Y;Z;' http://a.example/", 'GET / | Host: a.example | X: a;'],
  ["curl -H $'Host:\\t' http://a.example/", 'GET / | Host: '],
  ["curl 'HTTP://u:p@[::1]/x'", 'GET /x | Authorization: Basic dTpw | Host: [::1]'],
  ["curl '[::1]/x'", 'GET /x | Host: [::1]'],
  ['curl -r 15 http://a.example/', 'GET / | Host: a.example | Range: bytes=15-'],
  [
    "curl --data-urlencode $'a\\tb' http://a.example/p",
    'POST /p | Content-Length: 5 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a%09b'
  ],
  ['curl http://1.a.example/', 'GET / | Host: 1.a.example'],
  ['curl http://a.0xg1/', 'GET / | Host: a.0xg1'],
  ['curl http://a.example/a?b?c', 'GET /a?b?c | Host: a.example'],
  ["curl 'http://a.example/?q=%5B1%5D'", 'GET /?q=%5B1%5D | Host: a.example'],
  [
    "curl 'http://user:pa%40ss@a.example:8080/x'",
    'GET /x | Authorization: Basic dXNlcjpwYUBzcw== | Host: a.example:8080'
  ],
  ["curl 'http://a.example:08080/x'", 'GET /x | Host: a.example:8080'],
  ["curl 'a.example:8080/x'", 'GET /x | Host: a.example:8080'],
  ["curl 'user:p@a.example/x'", 'GET /x | Authorization: Basic dXNlcjpw | Host: a.example'],
  ["curl 'http://a.example/x?y#z?w'", 'GET /x?y | Host: a.example'],
  ["curl -g 'http://a.example/{x}'", 'GET /{x} | Host: a.example'],
  [
    "curl -X 'GET' -d a 'http://a.example/'",
    'GET / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a'
  ],
  [
    "curl -d a --request GET 'http://a.example/'",
    'GET / | Content-Length: 1 | Content-Type: application/x-www-form-urlencoded | Host: a.example',
    'a'
  ],
  [
    "curl -H 'Accept: text/html' -H 'User-Agent: x' http://a.example/",
    'GET / | Accept: text/html | Host: a.example | User-Agent: x'
  ],
  [
    "curl --json '{}' -H 'Accept:' http://a.example/",
    'POST / | Content-Length: 2 | Content-Type: application/json | Host: a.example',
    '{}'
  ],
  [
    "curl --json '{}' -H 'Content-Type:' http://a.example/",
    'POST / | Accept: application/json | Content-Length: 2 | Host: a.example',
    '{}'
  ],
  [
    'curl --json @body.txt http://a.example/',
    'POST / | Accept: application/json | Content-Type: application/json | Host: a.example'
  ],
  ["curl -G --url-query 'a=1' http://a.example/", 'GET /?a=1 | Host: a.example']
]

/** Returns method, target and headers in one line, as above. */
export function summaryOf(method: string, target: string, headers: readonly (readonly [string, string])[]): string {
  const lines = headers.map(([name, value]) => [name.toLowerCase(), `${name}: ${value}`] as const)
  // Keeps the order of lines with one name.
  lines.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
  return [`${method} ${target}`, ...lines.map(([, line]) => line)].join(' | ')
}

/** Lists commands for which it is not clear what curl sends, with the text of the message. */
export const REFUSED: readonly (readonly [command: string, says: string])[] = [
  ["curl -F 'a=b' https://a.example/", '-F of curl is not supported: curl makes up its boundary'],
  ['curl --form a=b https://a.example/', '--form of curl is not supported'],
  ['curl --form-string a=b https://a.example/', '--form-string of curl is not supported'],
  ['curl -K file https://a.example/', '-K of curl is not supported: what it adds is in a file'],
  ['curl -n https://a.example/', '-n of curl is not supported'],
  ['curl --digest -u a:b https://a.example/', '--digest of curl is not supported: curl makes up what it sends for it'],
  ['curl --aws-sigv4 aws:amz https://a.example/', '--aws-sigv4 of curl is not supported'],
  ['curl -z yesterday https://a.example/', '-z of curl is not supported: the command does not show what curl sends'],
  ['curl -sC 5 https://a.example/', '-C of curl is not supported'],
  ['curl --continue-at 5 https://a.example/', '--continue-at of curl is not supported: the command does not show'],
  ['curl --time-cond a https://a.example/', '--time-cond of curl is not supported'],
  ['curl --next https://a.example/', '--next of curl is not supported: it begins another request'],
  ['curl -: https://a.example/', '-: of curl is not supported'],
  ...['config', 'netrc-file', 'etag-compare', 'hsts'].map(
    name => [`curl --${name} a https://a.example/`, `--${name} of curl is not supported: what it adds`] as const
  ),
  ...['netrc', 'netrc-optional', 'ntlm', 'ntlm-wb', 'negotiate', 'anyauth', 'tr-encoding', 'crlf'].map(
    name => [`curl --${name} https://a.example/`, `--${name} of curl is not supported: `] as const
  ),
  ['curl https://a.example/ --aws-sigv4', '--aws-sigv4 of curl is not supported'],
  ['curl --\u00fc https://a.example/', 'an option of curl is not supported, and may change the request: save the'],
  ["curl '--a b' https://a.example/", 'an option of curl is not supported'],
  ['curl --a=b=c https://a.example/', '--a=... of curl is not supported'],
  ['curl --frobnicate https://a.example/', '--frobnicate of curl is not supported, and may change the request'],
  ['curl --heade x https://a.example/', '--heade of curl is not supported'],
  [`curl --${'x'.repeat(39)} https://a.example/`, 'an option of curl is not supported'],
  [`curl --${'x'.repeat(38)} https://a.example/`, `--${'x'.repeat(38)} of curl is not supported`],
  ['curl --request=PUT https://a.example/', '--request=... of curl is not supported'],
  ['curl --no-get https://a.example/', '--no-get of curl is not supported'],
  ['curl -s%X PUT https://a.example/', '-% of curl is not supported'],
  ['curl - https://a.example/', '- of curl is not supported'],
  ['curl https://a.example/ -X', '-X of curl has no value: is the command cut off?'],
  ['curl https://a.example/ -sd', '-d of curl has no value'],
  ['curl https://a.example/1 https://a.example/2', 'the curl command has 2 URLs'],
  ['curl https://a.example/1 --url https://a.example/2', 'the curl command has 2 URLs'],
  ["curl https://a.example/ -d 'x", 'ends inside quotes: is the command cut off?'],
  ['curl https://a.example/ -d "x', 'ends inside quotes'],
  ["curl https://a.example/ -d $'x\\\\", 'ends inside quotes'],
  ['curl ^"https://a.example/^" -d ^"x', 'ends inside quotes'],
  ['curl https://a.example/ -d "$BODY"', 'has a variable or a command in it, which the shell replaces'],
  ['curl https://a.example/ -d {"a":1,"b":2}', 'has braces without quotes'],
  ['curl https://a.example/?a=1&b=2', 'has & without quotes'],
  ['curl https://a.example/ -d @- <<END\n{}\nEND', 'is followed by a here-document'],
  ['curl https://a.example/ -H @headers.txt', '--header reads the lines from a file'],
  ['curl https://a.example/ -b cookies.txt', '--cookie reads the cookies from a file'],
  ['curl https://a.example/ -b @a=b', '--cookie reads the cookies from a file'],
  ['curl https://a.example/ -u name', '--user has no password'],
  ['curl https://a.example/ -I -d x', 'use only one of --data, --head and --upload-file'],
  ['curl https://a.example/ -T file -d x', 'use only one of --data, --head and --upload-file'],
  ['curl https://a.example/ -T file -I', 'use only one of --data, --head and --upload-file'],
  ['curl https://a.example/ -T a% -r 1', '--range with a body is not supported'],
  ["curl https://a.example/ -T 'a/b%c'", 'curl adds the name of the file to this URL, percent-encoded'],
  ["curl https://a.example/ -H '@'", '--header reads the lines from a file: write them into the command'],
  ['curl https://a.example/ -T file -G', 'use only one of --data, --head and --upload-file'],
  ['curl https://a.example/ -r 0-5 -d x', '--range with a body is not supported'],
  ['curl https://a.example/ --url-query a=1 -G -d b=2', '--url-query with --get is not supported'],
  ['curl https://a.example/ -G -d @query.txt', 'the query of the curl command is in a file'],
  ['curl https://a.example/ --url-query @query.txt', 'the query of the curl command is in a file'],
  ["curl https://a.example/ -T 'a b.txt'", 'curl adds the name of the file to this URL'],
  [
    "curl 'https://a.example/a b'",
    'has a space or a character beyond ASCII, which curl refuses or changes: write it percent-encoded'
  ],
  ['curl https://a.example/ü', 'has a space or a character beyond ASCII'],
  ["curl https://a.example/ -G -d 'a=b c'", 'has a space or a character beyond ASCII'],
  ["curl 'https://a.example/[1-2]'", 'is a pattern for several'],
  ["curl 'https://a.example/{a,b}'", 'is a pattern for several'],
  ["curl 'https://a.example/?a]=1'", 'is a pattern for several'],
  ["curl 'https://a.example/?a[=1'", 'is a pattern for several'],
  ["curl 'https://[::1]/[1]'", 'is a pattern for several'],
  ["curl 'https://a.example/{a'", 'is a pattern for several'],
  ["curl 'https://a.example/a}'", 'is a pattern for several'],
  ['curl https://a.example/a/%2e%2e/b', '%2e segments in a path are not supported'],
  ['curl https://a.example/a/.%2E', '%2e segments in a path are not supported'],
  ['curl ftp://a.example/', 'is not an HTTP URL'],
  ['curl ftp.example/', 'is not an HTTP URL'],
  ['curl --proto-default ftp a.example/', 'is not an HTTP URL'],
  ['curl https://a@b@c/', 'is not an HTTP URL'],
  ['curl https://a.example:123456/', 'is not an HTTP URL'],
  ["curl ''", 'is not an HTTP URL'],
  ...['dict', 'ldap', 'imap', 'smtp', 'pop3', 'FTP'].map(
    name => [`curl ${name}.example/`, 'is not an HTTP URL: write it with https://'] as const
  ),
  ['curl http:////a.example/', 'is not an HTTP URL'],
  ['curl xhttp://a.example/', 'is not an HTTP URL'],
  ['curl httpx://a.example/', 'is not an HTTP URL'],
  ['curl -g https://[::g]/', 'is not an HTTP URL'],
  ['curl -g https://x[::1]/', 'is not an HTTP URL'],
  ['curl -g https://[::1]x/', 'is not an HTTP URL'],
  ['curl https://a.example:8x/', 'is not an HTTP URL'],
  ['curl https://0x/', 'has an IP address in a form that curl rewrites: write it in full'],
  ['curl https://a.0XfF/', 'has an IP address in a form that curl rewrites'],
  ['curl https://17/', 'has an IP address in a form that curl rewrites'],
  ['curl "https://a.example/a\x7f"', 'has a space or a character beyond ASCII'],
  ['curl https://127.1/', 'has an IP address in a form that curl rewrites'],
  ['curl https://0x7f.0.0.1/', 'has an IP address in a form that curl rewrites'],
  ['curl https://127.0.0.01/', 'has an IP address in a form that curl rewrites']
]
