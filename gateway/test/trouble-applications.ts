import { fpmCommand, fpmConfiguration, nginxConfiguration } from './applications.ts'

/** Describes an application that is killed and started again: its files, and the commands that run in their folder. */
export interface TroubledApplication {
  files(folder: string, port: number): Readonly<Record<string, string>>
  commands(folder: string, port: number): readonly (readonly [string, ...string[]])[]
}

/**
 * Before it answers, each application writes the number of the request to the file `work`, as its work. The number
 * decides the answer: at once, late, in two parts, with 404, with 500 at first, or after the gateway's timeout.
 */
export const TROUBLED: Readonly<Record<'gunicorn' | 'php-fpm behind nginx' | 'Puma', TroubledApplication>> = {
  gunicorn: {
    files: () => ({ 'app.py': PYTHON }),
    commands: (_, port) => [
      ['gunicorn', '-b', `127.0.0.1:${port}`, ...'-w 2 --threads 16 --log-level critical app:application'.split(' ')]
    ]
  },
  'php-fpm behind nginx': {
    files: (folder, port) => ({
      'hook.php': PHP,
      'fpm.conf': fpmConfiguration(folder, 'pm.max_children = 16\nphp_admin_value[output_buffering] = Off'),
      'nginx.conf': nginxConfiguration(fastCgiServer(folder, port))
    }),
    commands: folder => [fpmCommand(folder), ['nginx', '-p', folder, '-c', 'nginx.conf', '-e', 'error.log']]
  },
  Puma: {
    files: () => ({ 'config.ru': RUBY }),
    commands: (_, port) => [['puma', '--quiet', '--bind', `tcp://127.0.0.1:${port}`, '--threads', '32:32', 'config.ru']]
  }
}

const PYTHON = `
import os, random, time

def application(environ, start_response):
    environ['wsgi.input'].read()
    n = int(environ['PATH_INFO'][1:])
    work = os.open('work', os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(work, b'%d\\n' % n)
    os.close(work)
    if n % 50 == 1: time.sleep(0.02)
    if n % 50 == 2: return plain(start_response, '404 Not Found')
    if n % 50 == 3 and random.random() < 0.7: return plain(start_response, '500 Sorry')
    if n % 200 == 4 and random.random() < 0.7: time.sleep(1.2)
    if n % 5 != 0: return plain(start_response, '200 OK')
    start_response('200 OK', [] if n % 2 else [('Content-Length', '4')])
    return parts()

def plain(start_response, status):
    start_response(status, [('Content-Length', '4')])
    return [b'done']

def parts():
    yield b'do'
    time.sleep(0.01)
    yield b'ne'
`

const PHP = `<?php
file_get_contents('php://input');
$n = (int) substr($_SERVER['REQUEST_URI'], 1);
file_put_contents(__DIR__ . '/work', "$n\\n", FILE_APPEND | LOCK_EX);
if ($n % 50 == 1) usleep(20000);
if ($n % 50 == 2) http_response_code(404);
elseif ($n % 50 == 3 && mt_rand(1, 10) < 8) http_response_code(500);
elseif ($n % 200 == 4 && mt_rand(1, 10) < 8) usleep(1200000);
if ($n % 5 != 0 || $n % 2 == 0) header('Content-Length: 4');
echo 'do';
if ($n % 5 == 0) {
    flush();
    usleep(10000);
}
echo 'ne';
`

const RUBY = `
class Parts
  def each
    yield 'do'
    sleep 0.01
    yield 'ne'
  end
end

run(lambda do |env|
  env['rack.input'].read
  n = env['PATH_INFO'][1..].to_i
  File.open('work', 'a') { |file| file.syswrite("#{n}\\n") }
  sleep 0.02 if n % 50 == 1
  plain = ->(status) { [status, { 'content-length' => '4' }, ['done']] }
  next plain.(404) if n % 50 == 2
  next plain.(500) if n % 50 == 3 && rand < 0.7
  sleep 1.2 if n % 200 == 4 && rand < 0.7
  next plain.(200) if n % 5 != 0
  [200, n.odd? ? {} : { 'content-length' => '4' }, Parts.new]
end)
`

const fastCgiServer = (folder: string, port: number): string => `
server {
  listen 127.0.0.1:${port};
  location / {
    include /etc/nginx/fastcgi_params;
    fastcgi_param SCRIPT_FILENAME ${folder}/hook.php;
    fastcgi_pass unix:${folder}/fpm.sock;
    fastcgi_buffering off;
  }
}`
