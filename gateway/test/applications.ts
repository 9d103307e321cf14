import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { findNginx } from '../../test/support/nginx.ts'
import { answers, runIn } from '../../test/support/run-program.ts'
import { fileOfPage } from './docs-commands.ts'

/** Describes one request as an application saw it. */
export interface SeenRequest {
  method: string
  /** the request target, as the application has it */
  target: string
  /** CGI names without `HTTP_`: `SIGNED_REQUEST_ACCOUNT` */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** Runs an application of docs/gateway.md on a free port of loopback. Every request to it is recorded from outside. */
export interface Application {
  readonly url: string
  seen(): SeenRequest[]
  stop(): Promise<void>
}

/** Runs php-fpm behind nginx, gunicorn and Puma, each with the application and the configuration of docs/gateway.md. */
export const APPLICATIONS: Readonly<Record<string, () => Promise<Application>>> = {
  async 'PHP (php-fpm behind nginx)'() {
    const port = await freePort()
    const folder = newFolder('php')
    const files = {
      'hook.php': fileOfPage('hook.php'),
      'record.php': RECORD_PHP,
      'fpm.conf': fpmConfiguration(
        folder,
        `pm.max_children = 2
        php_admin_value[auto_prepend_file] = ${folder}/record.php
        env[RECORD] = ${folder}/record.jsonl
        ${fileOfPage('php.ini').replace(/^(\w+) *=/gm, 'php_admin_value[$1] =')}`.replace(/;.*$/gm, '')
      )
    }
    const php = await runIn(folder, fpmCommand(folder), files, () => existsSync(join(folder, 'fpm.sock')))
    const site = fileOfPage('php.conf')
      .replace('127.0.0.1:9000', `127.0.0.1:${port}`)
      .replace('/srv/hooks', folder)
      .replace('/run/php/php-fpm.sock', join(folder, 'fpm.sock'))
    return application(port, folder, [await startNginxServer(site, port), php])
  },

  'Python (gunicorn)': () =>
    startProgram('gunicorn', { 'app.py': fileOfPage('app.py'), 'record.py': RECORD_PYTHON }, command =>
      command.replace(' app:', ' --no-sendfile record:')
    ),

  'Ruby (Puma)': () => startProgram('puma', { 'config.ru': RECORD_RUBY + fileOfPage('config.ru') })
}

/** Starts a program that the page starts with one command. The program writes down the requests that it sees. */
async function startProgram(
  program: string,
  files: Readonly<Record<string, string>>,
  change = (command: string) => command
): Promise<Application> {
  const port = await freePort()
  const folder = newFolder(program)
  const command = change(fileOfPage(`${program} command`).trim()).replace('127.0.0.1:9000', `127.0.0.1:${port}`)
  const running = await runIn(folder, command.split(' '), files, () => answers(port), { RECORD: 'record.jsonl' })
  return application(port, folder, [running])
}

const isRoot = (): boolean => process.getuid?.() === 0

const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `gateway-${name}-`))

export function fpmCommand(folder: string): [string, ...string[]] {
  // Debian's name has the version: php-fpm8.2.
  const name = readdirSync('/usr/sbin').find(file => /^php-fpm[\d.]*$/.test(file))
  if (name === undefined) throw new Error('there is no php-fpm: apt-get install php-fpm')
  return [`/usr/sbin/${name}`, '-F', '-n', '-p', folder, '-y', 'fpm.conf', ...(isRoot() ? ['-R'] : [])]
}

export const fpmConfiguration = (folder: string, lines: string): string => `
[global]
error_log = ${folder}/fpm.log
[hooks]
${isRoot() ? 'user = root\ngroup = root' : ''}
listen = ${folder}/fpm.sock
pm = static
${lines}
`

export const nginxConfiguration = (server: string): string => `${isRoot() ? 'user root;' : ''}
daemon off; worker_processes 1; pid nginx.pid; error_log error.log; events {}
http {
access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${name};`).join('\n')}
${server}
}`

interface Running {
  stop(): Promise<void>
}

/** Starts nginx with one server block of docs/gateway.md, which already listens on this port. */
export async function startNginxServer(
  server: string,
  port: number,
  files: Readonly<Record<string, string>> = {}
): Promise<Running> {
  const nginx = findNginx()
  if (nginx === undefined) throw new Error('there is no nginx: apt-get install nginx')
  const folder = newFolder('nginx')
  cpSync('/etc/nginx/fastcgi_params', join(folder, 'fastcgi_params'))
  const running = await runIn(
    folder,
    [nginx, '-p', folder, '-c', 'nginx.conf', '-e', 'error.log'],
    { ...files, 'nginx.conf': nginxConfiguration(server) },
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
    seen: () => (existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n').map(seenRequest) : []),
    async stop() {
      for (const part of parts) await part.stop()
      rmSync(folder, { recursive: true, maxRetries: 5 })
    }
  }
}

function seenRequest(line: string): SeenRequest {
  const { environment, body }: { environment: Record<string, string>; body: string } = JSON.parse(line)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('HTTP_')) headers[name.slice(5)] = value
    else if ((name === 'CONTENT_TYPE' || name === 'CONTENT_LENGTH') && value !== '') headers[name] = value
  }
  // gunicorn has the target as received in RAW_URI, PHP and Puma have it in REQUEST_URI.
  const target = environment['RAW_URI'] ?? environment['REQUEST_URI'] ?? ''
  return { method: environment['REQUEST_METHOD'] ?? '', target, headers, body: Buffer.from(body, 'base64') }
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
