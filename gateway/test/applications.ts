import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNginx, freePorts } from '../../test/support/nginx.ts'
import { answers, runIn } from '../../test/support/run-program.ts'
import { fileOfPage } from './docs-commands.ts'

/** What an application saw of one request. */
export interface SeenRequest {
  method: string
  /** the request target, as the application has it */
  target: string
  /** CGI names without `HTTP_`: `SIGNED_REQUEST_ACCOUNT` */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** An application of docs/gateway.md on a free port of loopback. Every request it gets is recorded from outside. */
export interface Application {
  readonly url: string
  seen(): SeenRequest[]
  stop(): Promise<void>
}

/** php-fpm behind nginx, gunicorn and Puma, each with the application and the configuration of docs/gateway.md. */
export const APPLICATIONS: Readonly<Record<string, () => Promise<Application>>> = {
  async 'PHP (php-fpm behind nginx)'() {
    const [port] = await freePorts(1)
    const folder = newFolder('php')
    writeFileSync(join(folder, 'hook.php'), fileOfPage('hook.php'))
    writeFileSync(join(folder, 'record.php'), RECORD_PHP)
    const php = await runIn(
      folder,
      [findPhpFpm(), '-F', '-n', '-p', folder, '-y', 'fpm.conf', ...(isRoot() ? ['-R'] : [])],
      { 'fpm.conf': fpmConfiguration(folder, fileOfPage('php.ini')) },
      () => existsSync(join(folder, 'fpm.sock'))
    )
    const site = fileOfPage('php.conf')
      .replace('127.0.0.1:9000', `127.0.0.1:${port}`)
      .replace('/srv/hooks', folder)
      .replace('/run/php/php-fpm.sock', join(folder, 'fpm.sock'))
    const web = await startNginxServer(site, port!)
    return application(port!, folder, [web, php])
  },

  async 'Python (gunicorn)'() {
    const [port] = await freePorts(1)
    const folder = newFolder('gunicorn')
    const files = { 'app.py': fileOfPage('app.py'), 'record.py': RECORD_PYTHON }
    const command = commandOfPage('gunicorn', port!).map(arg => arg.replace(/^app:/, 'record:'))
    return application(port!, folder, [
      await runIn(folder, [...command, '--no-sendfile'], files, () => answers(port!), RECORD)
    ])
  },

  async 'Ruby (Puma)'() {
    const [port] = await freePorts(1)
    const folder = newFolder('puma')
    const files = { 'config.ru': RECORD_RUBY + fileOfPage('config.ru') }
    const command = commandOfPage('puma', port!)
    return application(port!, folder, [await runIn(folder, command, files, () => answers(port!), RECORD)])
  }
}

/** The one-line command of the page that starts this program, on another port. */
const commandOfPage = (program: string, port: number): string[] =>
  fileOfPage(`${program} command`).trim().replace('127.0.0.1:9000', `127.0.0.1:${port}`).split(' ')

/** For the programs that write what they see. */
const RECORD = { RECORD: 'record.jsonl' }

export const isRoot = (): boolean => process.getuid?.() === 0

const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `gateway-${name}-`))

/** Debian names it by its version: php-fpm8.2. */
export function findPhpFpm(): string {
  const name = readdirSync('/usr/sbin').find(file => /^php-fpm[\d.]*$/.test(file))
  if (name === undefined) throw new Error('there is no php-fpm: apt-get install php-fpm')
  return `/usr/sbin/${name}`
}

/** @param ini the lines that docs/gateway.md has for php.ini */
const fpmConfiguration = (folder: string, ini: string): string => `
[global]
error_log = ${folder}/fpm.log
[hooks]
${isRoot() ? 'user = root\ngroup = root' : ''}
listen = ${folder}/fpm.sock
pm = static
pm.max_children = 2
php_admin_value[auto_prepend_file] = ${folder}/record.php
env[RECORD] = ${folder}/record.jsonl
${ini.replace(/^(\w+) *=/gm, 'php_admin_value[$1] =').replace(/;.*$/gm, '')}
`

interface Running {
  stop(): Promise<void>
}

/** nginx with one server block of docs/gateway.md, which listens on this port already. */
export async function startNginxServer(
  server: string,
  port: number,
  files: Readonly<Record<string, string>> = {}
): Promise<Running> {
  const nginx = findNginx()
  if (nginx === undefined) throw new Error('there is no nginx: apt-get install nginx')
  const folder = newFolder('nginx')
  cpSync('/etc/nginx/fastcgi_params', join(folder, 'fastcgi_params'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const configuration = `${isRoot() ? 'user root;' : ''}
daemon off; worker_processes 1; pid nginx.pid; error_log error.log; events {}
http {
access_log off;
${temporary.map(name => `${name}_temp_path ${name};`).join('\n')}
${server}
}`
  const running = await runIn(
    folder,
    [nginx, '-p', folder, '-c', 'nginx.conf', '-e', 'error.log'],
    { ...files, 'nginx.conf': configuration },
    () => answers(port)
  )
  return {
    async stop() {
      await running.stop()
      rmSync(folder, { recursive: true, maxRetries: 5 })
    }
  }
}

function application(port: number, folder: string, parts: readonly Running[]): Application {
  const record = join(folder, 'record.jsonl')
  return {
    url: `http://127.0.0.1:${port}`,
    seen: () =>
      !existsSync(record)
        ? []
        : readFileSync(record, 'utf8')
            .trimEnd()
            .split('\n')
            .map(line => JSON.parse(line))
            .map(({ environment, body }) => seenRequest(environment, Buffer.from(body, 'base64'))),
    async stop() {
      for (const part of parts) await part.stop()
      rmSync(folder, { recursive: true, maxRetries: 5 })
    }
  }
}

function seenRequest(environment: Record<string, string>, body: Buffer): SeenRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('HTTP_')) headers[name.slice(5)] = value
    else if ((name === 'CONTENT_TYPE' || name === 'CONTENT_LENGTH') && value !== '') headers[name] = value
  }
  // gunicorn has the target as received in RAW_URI; PHP and Puma in REQUEST_URI.
  const target = environment['RAW_URI'] ?? environment['REQUEST_URI'] ?? ''
  return { method: environment['REQUEST_METHOD'] ?? '', target, headers, body }
}

/** Runs before the script. */
const RECORD_PHP = `<?php
$line = ['environment' => $_SERVER, 'body' => base64_encode(file_get_contents('php://input'))];
$json = json_encode($line, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
file_put_contents(getenv('RECORD'), $json . "\\n", FILE_APPEND | LOCK_EX);
`

const RECORD_PYTHON = `
import base64, io, json, os
import app

def application(environ, start_response):
    body = environ['wsgi.input'].read()
    environ['wsgi.input'] = io.BytesIO(body)
    strings = {name: value for name, value in environ.items() if isinstance(value, str)}
    with open(os.environ['RECORD'], 'a') as record:
        record.write(json.dumps({'environment': strings, 'body': base64.b64encode(body).decode()}) + '\\n')
    return app.application(environ, start_response)
`

const RECORD_RUBY = `
require 'json'
require 'stringio'
class Record
  def initialize(app) = @app = app
  def call(env)
    body = env['rack.input'].read
    env['rack.input'] = StringIO.new(body)
    strings = env.select { |_, value| value.is_a?(String) }.transform_values(&:scrub)
    File.open(ENV['RECORD'], 'a') { |f| f.puts(JSON.generate({ environment: strings, body: [body].pack('m0') })) }
    @app.call(env)
  end
end
use Record
`
